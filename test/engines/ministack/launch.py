"""MiniStack with its deviations from AWS mended, each by one entry of MENDS with its reason.

    launch.py             serves, as `ministack` does
    launch.py --needed    prints the names of the mends that this MiniStack still needs, one a line; a test compares them
                          with MENDS, so that it fails once upstream mends one: then delete it here
"""
import inspect
import os
import secrets
import sys
import types

from ministack import app
from ministack.core import iam_actions, iam_evaluator
from ministack.services import cloudwatch_logs, eks
from ministack.services.cloudformation import provisioners

HANDLERS = provisioners._RESOURCE_HANDLERS
ENTRY, SECRET = "AWS::EKS::AccessEntry", "AWS::SecretsManager::Secret"


def access_entries():
    """CloudFormation does not know AWS::EKS::AccessEntry, though the EKS API has access entries."""

    def create(_logical_id, props, _stack_name):
        body = {"principalArn": props["PrincipalArn"], "kubernetesGroups": props.get("KubernetesGroups", [])}
        status, _, text = eks._create_access_entry(props["ClusterName"], {**body, "type": props.get("Type", "STANDARD")})
        if status != 200:
            raise ValueError(text)
        arn = eks._access_entry_arn(props["ClusterName"], props["PrincipalArn"])
        return f"{props['PrincipalArn']}|{props['ClusterName']}", {"AccessEntryArn": arn}

    def delete(physical_id, _props):
        principal, cluster = physical_id.split("|")
        eks._delete_access_entry(cluster, principal)

    HANDLERS[ENTRY] = {"create": create, "delete": delete}


def secret_refs():
    """Ref of a secret is its name; on AWS it is its ARN."""
    made = dict(HANDLERS[SECRET])

    def name_of(physical_id):
        return physical_id.split(":secret:")[-1].rsplit("-", 1)[0] if physical_id.startswith("arn:") else physical_id

    def create(logical_id, props, stack_name):
        _, attributes = made["create"](logical_id, props, stack_name)
        return attributes["Arn"], attributes

    HANDLERS[SECRET] = {"create": create, "delete": lambda physical_id, props: made["delete"](name_of(physical_id), props)}


def secret_letters():
    """GenerateSecretString takes ExcludeCharacters alone: a secret without punctuation has it all the same."""
    generate = provisioners._sm_secret_string

    def mended(props):
        wanted = dict(props.get("GenerateSecretString") or {})
        if wanted.pop("ExcludePunctuation", False):
            import string

            wanted["ExcludeCharacters"] = wanted.get("ExcludeCharacters", "") + string.punctuation
        return generate({**props, **({"GenerateSecretString": wanted} if wanted else {})})

    provisioners._sm_secret_string = mended


def batch_actions():
    """SendMessageBatch is authorized as sqs:SendMessageBatch; IAM has sqs:SendMessage for both, and so for the other two."""
    enforce = iam_evaluator.enforce

    def mended(access_key_id, iam_action, *rest, **named):
        if iam_action.startswith("sqs:") and iam_action.endswith("Batch"):
            iam_action = iam_action.removesuffix("Batch")
        return enforce(access_key_id, iam_action, *rest, **named)

    iam_evaluator.enforce = mended


def filter_patterns():
    """A JSON pattern of a subscription filter never matches. All pass: test/support/match-filter-pattern.ts judges patterns."""
    matches = cloudwatch_logs._subscription_pattern_matches
    cloudwatch_logs._subscription_pattern_matches = lambda pattern, message: (
        (pattern or "").strip().startswith("{") or matches(pattern, message)
    )


def port_443():
    """With TLS it takes port 443 besides, where it can."""
    app._port_is_bindable = lambda _host, _port: False


def cluster_tokens():
    """The API server's token webhook has a secret in its path that only a container of MiniStack's own is told."""
    token = os.environ.get("EKS_AUTH_TOKEN", "")
    eks.secrets = types.SimpleNamespace(token_urlsafe=lambda _n: token, compare_digest=secrets.compare_digest)


def sqs_action():
    target = {"x-amz-target": "AmazonSQS.SendMessageBatch"}
    return iam_actions.extract_iam_action("sqs", "POST", "/", target, b"{}", {})


MENDS = {
    access_entries: lambda: ENTRY not in HANDLERS,
    secret_refs: lambda: not HANDLERS[SECRET]["create"]("A", {"SecretString": "a"}, "S")[0].startswith("arn:"),
    secret_letters: lambda: not provisioners._sm_secret_string(
        {"GenerateSecretString": {"PasswordLength": 1000, "ExcludePunctuation": True}}
    ).isalnum(),
    batch_actions: lambda: sqs_action() == "sqs:SendMessageBatch",
    filter_patterns: lambda: not cloudwatch_logs._subscription_pattern_matches(
        '{ ($.verb = "create") && ($.user NOT EXISTS) }', '{"verb": "create"}'
    ),
    port_443: lambda: "_port_is_bindable(bind_host, 443)" in inspect.getsource(app.main),
    cluster_tokens: lambda: "token_urlsafe(32)" in inspect.getsource(eks._create_cluster),
}

if __name__ == "__main__":
    if sys.argv[1:] == ["--needed"]:
        for mend, is_needed in MENDS.items():
            print(f"{mend.__name__} {'needed' if is_needed() else 'mended upstream: delete it'}")
    else:
        unmended = os.environ.get("MINISTACK_UNMENDED", "").split(",")
        for mend in MENDS:
            if mend.__name__ not in unmended:
                mend()
        app.main()
