"""Tests that are functions of a file: all whose names begin with test_. Files that use it end with 'N passed, N failed'."""
import traceback


def all_of(names):
    return [f for name, f in names.items() if name.startswith('test_')]


def run(tests):
    passed = failed = 0
    for test in tests:
        try:
            test()
            passed += 1
        except Exception:
            failed += 1
            print(f'FAILED {test.__name__}\n{traceback.format_exc()}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0
