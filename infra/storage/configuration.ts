// The object in S3 that has the configuration. The bucket keeps every version: when the newest is invalid, the
// functions go on with the last valid one. It is kept when the stack is deleted.
import { CustomResource, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';

/** An object in S3 that has the configuration: a `zone53.yaml` as JSON. */
export interface ConfigurationProps {
  /** The bucket, of the region of the stack. It must keep versions. */
  readonly bucket: IBucket;
  readonly key: string;
}

const KEY = 'zone53.json';
/** A configuration is written within a second. */
const WRITE_MINUTES_MAX = 3;

/** The object, in a new bucket or a given one. */
export class ConfigurationObject extends Construct {
  readonly bucket: IBucket | Bucket;
  readonly key: string;

  constructor(scope: Construct, id: string, given?: ConfigurationProps, encryptionKey?: IKey) {
    super(scope, id);
    this.key = given?.key ?? KEY;
    this.bucket = given?.bucket ?? this.makeBucket(encryptionKey);
  }

  private makeBucket(encryptionKey: IKey | undefined): Bucket {
    const bucket = new Bucket(this, 'Bucket', {
      versioned: true,
      enforceSSL: true,
      ...(encryptionKey === undefined
        ? { encryption: BucketEncryption.S3_MANAGED }
        : { encryption: BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason:
        'Only the functions of the stack read the object, once a minute. CloudTrail can log that, if it is wanted.',
    });
    return bucket;
  }

  /** Lets a function read every version of the object, with the key of the bucket if it has one. */
  grantRead(one: LambdaFunction): void {
    this.allow(one, 'ReadConfiguration', ['s3:GetObject', 's3:GetObjectVersion']);
    this.bucket.encryptionKey?.grantDecrypt(one);
  }

  /** Has this function write the text when the stack is deployed. */
  writeWith(configure: LambdaFunction, text: string): CustomResource {
    this.allow(configure, 'WriteConfiguration', ['s3:PutObject']);
    (this.bucket.encryptionKey as { grantEncrypt(to: IGrantable): unknown } | undefined)?.grantEncrypt(configure);
    const written = new CustomResource(this, 'Written', {
      resourceType: 'Custom::Zone53Configuration',
      serviceToken: configure.functionArn,
      serviceTimeout: Duration.minutes(WRITE_MINUTES_MAX),
      properties: { Configuration: text },
    });
    written.node.addDependency(configure);
    return written;
  }

  private allow(one: LambdaFunction, sid: string, actions: string[]): void {
    one.addToRolePolicy(new PolicyStatement({ sid, actions, resources: [this.bucket.arnForObjects(this.key)] }));
  }
}
