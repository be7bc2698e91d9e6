/** The part of the GraphQL schema that recorded clients use, in the schema language; anything else is a 400, as on the real one. */
import { buildSchema, GraphQLError, GraphQLScalarType, type GraphQLSchema, Kind } from 'graphql';
import { parseInstant } from '../../model/instant.ts';

const SDL = /* GraphQL */ `
  scalar Void
  scalar DateTime
  enum CloudTypeEnum { ALL COMMUNITY SECURE }
  enum ComputeType { CPU GPU }
  enum PodStatus { CREATED RUNNING RESTARTING EXITED PAUSED DEAD TERMINATED }
  enum PodType { INTERRUPTABLE RESERVED BID BACKGROUND }

  type Query {
    myself: User
    pod(input: PodFilter): Pod
    gpuTypes(input: GpuTypeFilter): [GpuType]
    dataCenters: [DataCenter]
  }

  type Mutation {
    podStop(input: PodStopInput!): Pod
    podResume(input: PodResumeInput!): Pod
    podTerminate(input: PodTerminateInput!): Void
    podFindAndDeployOnDemand(input: PodFindAndDeployOnDemandInput): Pod
    deployCpuPod(input: DeployCpuPodInput): Pod
    createNetworkVolume(input: CreateNetworkVolumeInput!): NetworkVolume
    updateNetworkVolume(input: UpdateNetworkVolumeInput!): NetworkVolume
    deleteNetworkVolume(input: DeleteNetworkVolumeInput!): Void
    saveTemplate(input: SaveTemplateInput): PodTemplate
    deleteTemplate(templateName: String): Void
    updateUserSettings(input: UpdateUserSettingsInput): User
  }

  type User {
    id: String email: String pubKey: String
    clientBalance: Float currentSpendPerHr: Float spendLimit: Int minBalance: Float underBalance: Boolean
    notifyPodsStale: Boolean notifyPodsGeneral: Boolean notifyLowBalance: Boolean
    networkVolumes: [NetworkVolume] pods: [Pod] podTemplates: [PodTemplate]
  }

  type Pod {
    id: String! name: String desiredStatus: PodStatus! podType: PodType costPerHr: Float! adjustedCostPerHr: Float
    gpuCount: Int! vcpuCount: Float! memoryInGb: Float! imageName: String! env: [String] ports: String port: Int
    containerDiskInGb: Int volumeInGb: Float volumeMountPath: String dockerArgs: String dockerId: String
    machineId: String! lastStatusChange: String! lastStartedAt: DateTime createdAt: DateTime uptimeSeconds: Int
    templateId: String networkVolumeId: String locked: Boolean
    machine: PodMachineInfo runtime: PodRuntime
  }

  type PodMachineInfo {
    podHostId: String gpuDisplayName: String gpuTypeId: String dataCenterId: String location: String
    secureCloud: Boolean costPerHr: Float
  }

  type PodRuntime {
    uptimeInSeconds: Int ports: [PodRuntimePorts] gpus: [PodRuntimeGpus] container: PodRuntimeContainer
  }
  type PodRuntimePorts { ip: String isIpPublic: Boolean privatePort: Int publicPort: Int type: String }
  type PodRuntimeGpus { id: String gpuUtilPercent: Int memoryUtilPercent: Int }
  type PodRuntimeContainer { cpuPercent: Int memoryPercent: Int }

  type NetworkVolume { id: String name: String size: Int dataCenterId: String }
  type PodTemplate { id: String name: String imageName: String containerDiskInGb: Int volumeInGb: Int dockerArgs: String }

  type GpuType {
    id: String displayName: String manufacturer: String memoryInGb: Int cudaCores: Int maxGpuCount: Int
    secureCloud: Boolean communityCloud: Boolean securePrice: Float communityPrice: Float
    oneMonthPrice: Float threeMonthPrice: Float oneWeekPrice: Float communitySpotPrice: Float secureSpotPrice: Float
    lowestPrice(input: GpuLowestPriceInput): LowestPrice
  }
  type LowestPrice {
    minimumBidPrice: Float uninterruptablePrice: Float stockStatus: String availableGpuCounts: [Int]
    minVcpu: Int minMemory: Int maxGpuCount: Int
  }
  type DataCenter { id: String name: String location: String gpuAvailability: [GpuAvailability] }
  type GpuAvailability { gpuTypeId: String displayName: String stockStatus: String available: Boolean }

  input PodFilter { podId: String }
  input GpuTypeFilter { id: String ids: [String] }
  input GpuLowestPriceInput {
    gpuCount: Int! secureCloud: Boolean dataCenterId: String minDisk: Int minMemoryInGb: Int minVcpuCount: Int
    countryCode: String cudaVersion: String
  }
  input PodStopInput { podId: String! }
  input PodResumeInput { podId: String! gpuCount: Int allowedCudaVersions: [String] }
  input PodTerminateInput { podId: String! }
  input EnvironmentVariableInput { key: String! value: String! }
  input SavingsPlanInput { planLength: String! upfrontCost: Float! }

  input PodFindAndDeployOnDemandInput {
    aiApiId: String allowedCudaVersions: [String] cloudType: CloudTypeEnum compliance: [String] computeType: ComputeType
    containerDiskInGb: Int containerRegistryAuthId: String countryCode: String cudaVersion: String minCudaVersion: String
    dataCenterId: String deployCost: Float dockerArgs: String env: [EnvironmentVariableInput] gpuCount: Int
    gpuTypeId: String gpuTypeIdList: [String] imageName: String instanceIds: [String] minDisk: Int minDownload: Int
    minMemoryInGb: Int minUpload: Int minVcpuCount: Int name: String networkVolumeId: String port: String ports: String
    savingsPlan: SavingsPlanInput startJupyter: Boolean startSsh: Boolean stopAfter: DateTime terminateAfter: DateTime
    supportPublicIp: Boolean templateId: String volumeInGb: Int volumeKey: String volumeMountPath: String
  }
  input DeployCpuPodInput {
    cloudType: CloudTypeEnum containerDiskInGb: Int containerRegistryAuthId: String dataCenterId: String dockerArgs: String
    env: [EnvironmentVariableInput] imageName: String instanceId: String! name: String networkVolumeId: String
    ports: String startJupyter: Boolean startSsh: Boolean stopAfter: DateTime terminateAfter: DateTime
    templateId: String volumeInGb: Int volumeMountPath: String
  }
  input CreateNetworkVolumeInput { name: String! size: Int! dataCenterId: String! }
  input UpdateNetworkVolumeInput { id: String! name: String size: Int }
  input DeleteNetworkVolumeInput { id: String! }
  input SaveTemplateInput {
    id: String name: String! imageName: String! containerDiskInGb: Int! volumeInGb: Int! dockerArgs: String!
    env: [EnvironmentVariableInput]! ports: String volumeMountPath: String isPublic: Boolean isServerless: Boolean
    startSsh: Boolean startJupyter: Boolean readme: String containerRegistryAuthId: String
  }
  input UpdateUserSettingsInput { pubKey: String }
`;

function dateTime(value: unknown): string {
  if (typeof value === 'string' && parseInstant(value) !== null) return value;
  throw new GraphQLError(`DateTime cannot represent an invalid date-time-string ${String(value)}.`);
}

/** Builds the schema; DateTime takes RFC 3339 only, so a duration such as "1h" is refused. */
export function worldSchema(): GraphQLSchema {
  const schema = buildSchema(SDL);
  const scalar = schema.getType('DateTime');
  if (scalar instanceof GraphQLScalarType) {
    scalar.serialize = dateTime;
    scalar.parseValue = dateTime;
    scalar.parseLiteral = (node) => dateTime(node.kind === Kind.STRING ? node.value : null);
  }
  return schema;
}
