import impl.unended
