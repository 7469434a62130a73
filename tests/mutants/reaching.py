"""The format of lit tests in which each test has its own file of the mutants that it reaches (items.py)."""
import os

import lit.formats


def file_of(folder, name):
    return os.path.join(folder, name.replace('/', '%'))


class Reaching(lit.formats.ShTest):
    def execute(self, test, lit_config):
        name = 'lit ' + '/'.join(test.path_in_suite)
        test.config.environment['TIK_REACH'] = file_of(lit_config.params['reach'], name)
        return super().execute(test, lit_config)
