import logging
import logging as log

logging.basicConfig(level=logging.CRITICAL, format="%(message)s")
logger = logging.getLogger("kernels")
logger.setLevel(logging.CRITICAL)
handler = logging.StreamHandler()
handler.setFormatter(logging.Formatter("%(message)s"))
logger.addHandler(handler)
logger.info("a %d", 1)
logger.debug("b")
log.warning("c")
print(logger.name, logging.getLogger("kernels") is logger, logger.level, logging.INFO < logging.ERROR, logging.getLevelName(20), logger.getChild("x").name)
