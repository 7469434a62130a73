#!/usr/bin/python3
"""Reads a SARIF document with the object model that the format's schema was turned into (Debian's
python3-sarif-python-om), strictly: every member must be one of the model, and required members must be there.
With a second file, a JSON schema, the document is checked against it, too.
usage: tests/tools/sarif.py FILE.sarif [SCHEMA]    prints one line for each result"""
import json
import sys

import attr
import sarif_om

# The classes of members that hold objects; all others hold numbers, texts or what properties are free to hold.
CLASSES = {
    'runs': 'Run', 'tool': 'Tool', 'driver': 'ToolComponent', 'rules': 'ReportingDescriptor', 'results': 'Result',
    'shortDescription': 'MultiformatMessageString', 'help': 'MultiformatMessageString',
    'defaultConfiguration': 'ReportingConfiguration', 'message': 'Message', 'locations': 'Location',
    'relatedLocations': 'Location', 'location': 'Location', 'logicalLocations': 'LogicalLocation',
    'physicalLocation': 'PhysicalLocation', 'artifactLocation': 'ArtifactLocation', 'region': 'Region',
    'stacks': 'Stack', 'frames': 'StackFrame', 'fixes': 'Fix', 'artifactChanges': 'ArtifactChange',
    'replacements': 'Replacement', 'deletedRegion': 'Region', 'insertedContent': 'ArtifactContent',
}
FREE = ('properties', 'partialFingerprints')


def build(name, value):
    """The object of a class with the members of a JSON object; fails for a member that the class does not have."""
    made = getattr(sarif_om, name)
    members = {f.metadata['schema_property_name']: f.name for f in attr.fields(made)}
    found = {}
    for key, of in value.items():
        if key not in members:
            raise SystemExit(f'{name} has no member {key}')
        if key in CLASSES:
            is_list = isinstance(of, list)
            of = [build(CLASSES[key], v) for v in (of if is_list else [of])]
            of = of if is_list else of[0]
        elif isinstance(of, (dict, list)) and key not in FREE:
            raise SystemExit(f'{name}.{key} is no object that this test knows')
        found[members[key]] = of
    return made(**found)


def place(result):
    if not result.locations:
        return 'nowhere'
    at = result.locations[0].physical_location
    region = at.region or sarif_om.Region()
    return f'{at.artifact_location.uri}:{region.start_line}:{region.start_column}-{region.end_line}:{region.end_column}'


def main():
    with open(sys.argv[1], encoding='utf-8') as f:
        document = json.load(f)
    if len(sys.argv) > 2:
        import jsonschema
        with open(sys.argv[2], encoding='utf-8') as f:
            jsonschema.validate(document, json.load(f))
    schema = document.pop('$schema')
    log = build('SarifLog', document)
    assert log.version == '2.1.0' and 'sarif' in schema
    for run in log.runs:
        rules = [r.id for r in run.tool.driver.rules]
        for r in run.results:
            assert rules[r.rule_index] == r.rule_id, r
            fixes = [rep.inserted_content.text for fix in r.fixes or [] for change in fix.artifact_changes
                     for rep in change.replacements]
            print(r.level, r.rule_id, place(r), *(f'fix {f}' for f in fixes), *(r.properties or {}).get('processors', []))


if __name__ == '__main__':
    main()
