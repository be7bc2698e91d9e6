/** The part of GitHub's GraphQL schema that a registry needs, with and without the mutations of newer servers. */
import { buildSchema, type GraphQLSchema } from 'graphql';

const READS = `
  scalar GitObjectID
  scalar Base64String
  scalar DateTime
  scalar GitRefname
  type Query { repository(owner: String!, name: String!): Repository  rateLimit: RateLimit }
  type RateLimit { limit: Int!  cost: Int!  remaining: Int!  used: Int!  resetAt: DateTime! }
  type Repository {
    id: ID!  databaseId: Int  nameWithOwner: String!  isArchived: Boolean!  isEmpty: Boolean!
    ref(qualifiedName: String!): Ref
    refs(refPrefix: String!, first: Int, after: String, orderBy: RefOrder): RefConnection
    object(oid: GitObjectID, expression: String): GitObject
  }
  enum RefOrderField { ALPHABETICAL TAG_COMMIT_DATE }
  enum OrderDirection { ASC DESC }
  input RefOrder { field: RefOrderField!  direction: OrderDirection! }
  type RefConnection { nodes: [Ref]  pageInfo: PageInfo!  totalCount: Int! }
  type Ref { id: ID!  name: String!  prefix: String!  target: GitObject }
  interface GitObject { id: ID!  oid: GitObjectID! }
  type Blob implements GitObject {
    id: ID!  oid: GitObjectID!  byteSize: Int!  isBinary: Boolean  isTruncated: Boolean!  text: String
  }
  type Tree implements GitObject { id: ID!  oid: GitObjectID!  entries: [TreeEntry!] }
  type TreeEntry { name: String!  mode: Int!  type: String!  oid: GitObjectID!  object: GitObject }
  type Commit implements GitObject {
    id: ID!  oid: GitObjectID!  message: String!  messageHeadline: String!  messageBody: String!
    committedDate: DateTime!  tree: Tree!
    file(path: String!): TreeEntry
    history(first: Int, after: String, path: String): CommitHistoryConnection!
  }
  type CommitHistoryConnection { nodes: [Commit]  pageInfo: PageInfo!  totalCount: Int! }
  type PageInfo { hasNextPage: Boolean!  endCursor: String }
`;

const COMMITS = `
  input CommittableBranch { id: ID  repositoryNameWithOwner: String  branchName: String }
  input CommitMessage { headline: String!  body: String }
  input FileAddition { path: String!  contents: Base64String! }
  input FileDeletion { path: String! }
  input FileChanges { additions: [FileAddition!]  deletions: [FileDeletion!] }
  input CreateCommitOnBranchInput {
    branch: CommittableBranch!  message: CommitMessage!  expectedHeadOid: GitObjectID!
    fileChanges: FileChanges  clientMutationId: String
  }
  type CreateCommitOnBranchPayload { clientMutationId: String  commit: Commit  ref: Ref }
  input RefUpdate { name: GitRefname!  afterOid: GitObjectID!  beforeOid: GitObjectID  force: Boolean = false }
  input UpdateRefsInput { repositoryId: ID!  refUpdates: [RefUpdate!]!  clientMutationId: String }
  type UpdateRefsPayload { clientMutationId: String }
  type Mutation {
    createCommitOnBranch(input: CreateCommitOnBranchInput!): CreateCommitOnBranchPayload
    updateRefs(input: UpdateRefsInput!): UpdateRefsPayload
  }
`;

const NO_COMMITS = 'type Mutation { addStar: Boolean }';

const whole = buildSchema(READS + COMMITS);
const old = buildSchema(READS + NO_COMMITS);

export function schemaOf(commitMutations: boolean): GraphQLSchema {
  return commitMutations ? whole : old;
}
