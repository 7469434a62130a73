from ops_alias.sizes import LANES as lanes
