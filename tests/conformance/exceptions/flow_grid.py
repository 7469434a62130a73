def run(where, how):
    log = []
    for i in range(2):
        try:
            log.append("try")
            if where == "try":
                if how == "raise":
                    raise ValueError(i)
                if how == "return":
                    return log
                if how == "break":
                    break
                if how == "continue":
                    continue
        except ValueError as e:
            log.append("except %s" % e)
        else:
            log.append("else")
        finally:
            log.append("finally")
            if where == "finally" and how == "break":
                break
        log.append("after")
    return log
for where in ("try", "finally", "none"):
    for how in ("raise", "return", "break", "continue"):
        print(where, how, run(where, how))
