class Plan:
    rows = 4

    def __init__(self):
        self.a = 1
        self.b = 2
        self.c = 3


plan = Plan()
for i in range(1500000):
    plan.a = plan.b + plan.c + plan.rows
    plan.c = plan.a & 7
print(plan.a, plan.c)
