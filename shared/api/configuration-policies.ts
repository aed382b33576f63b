import { z } from 'zod'
import { deviceRole, osType } from '../device/inventory.ts'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant, jsonObject, name255, ok, pathId, small, textOfLines, uuid } from '../fields.ts'
import { paged, pageLimit, pageNumber, searchText } from '../paging.ts'

export const policyStatus = z.enum(['active', 'inactive', 'archived'])
export type PolicyStatus = z.infer<typeof policyStatus>

/** What a policy can say something about. */
export const featureType = z.enum(['backup'])
export type FeatureType = z.infer<typeof featureType>

/** From the closest to the device to the widest: of several policies the closest one wins. */
export const assignmentLevels = ['device', 'device_group', 'site', 'organization', 'partner'] as const
export const assignmentLevel = z.enum(assignmentLevels)
export type AssignmentLevel = z.infer<typeof assignmentLevel>

export const policyLink = z.object({
  id: z.uuid(),
  configPolicyId: z.uuid(),
  featureType,
  featurePolicyId: z.uuid().nullable(),
  inlineSettings: jsonObject.nullable(),
  createdAt: instant,
  updatedAt: instant,
})
export type PolicyLink = z.infer<typeof policyLink>

export const configurationPolicy = z.object({
  id: z.uuid(),
  orgId: z.uuid().nullable(),
  partnerId: z.uuid().nullable(),
  name: z.string(),
  description: z.string().nullable(),
  status: policyStatus,
  createdBy: z.uuid().nullable(),
  createdAt: instant,
  updatedAt: instant,
  orgName: z.string().nullable(),
  featureLinks: z.array(policyLink),
})
export type ConfigurationPolicy = z.infer<typeof configurationPolicy>

const target = {
  level: assignmentLevel,
  targetId: z.uuid(),
  /** Of a site, group or device; of the organization; null for the company. */
  targetName: z.string().nullable(),
}
const filters = { roleFilter: z.array(deviceRole).nullable(), osFilter: z.array(osType).nullable() }

export const policyAssignment = z.object({
  id: z.uuid(),
  configPolicyId: z.uuid(),
  policyName: z.string(),
  ...target,
  /** Among policies of the same level the lower number wins, then the older assignment. */
  priority: z.int(),
  ...filters,
  assignedBy: z.uuid().nullable(),
  createdAt: instant,
})
export type PolicyAssignment = z.infer<typeof policyAssignment>

/** What an assignment is for one device. */
export const assignmentOutcome = z.enum([
  'won',
  /** Another one is closer, goes first or is older. */
  'overridden',
  'policy_inactive',
  'role_mismatch',
  'os_mismatch',
  'no_settings',
])
export type AssignmentOutcome = z.infer<typeof assignmentOutcome>

const effectiveFeature = z.object({
  featureType,
  featurePolicyId: z.uuid().nullable(),
  inlineSettings: jsonObject.nullable(),
  sourceLevel: assignmentLevel,
  sourceTargetId: z.uuid(),
  sourcePolicyId: z.uuid(),
  sourcePolicyName: z.string(),
  sourcePriority: z.int(),
})

/** One assignment that names the device, its groups, site, organization or company. */
export const chainEntry = z.object({
  assignmentId: z.uuid(),
  policyId: z.uuid(),
  policyName: z.string(),
  policyStatus,
  ...target,
  priority: z.int(),
  ...filters,
  assignedAt: instant,
  featureTypes: z.array(featureType),
  outcome: assignmentOutcome,
})
export type ChainEntry = z.infer<typeof chainEntry>

const read = userAccess('devices:read')
const write = userAccess('devices:write', { mfa: 'session' })
const params = z.object({ id: pathId })
const orNull = (value: unknown[] | null | undefined) => (value && value.length > 0 ? value : null)
const settings = small(jsonObject)

export const listPolicies = endpoint({
  name: 'configuration-policies.list',
  method: 'GET',
  path: '/configuration-policies',
  summary: 'Configuration policies in reach, the last changed first',
  access: read,
  query: z.object({
    page: pageNumber,
    limit: pageLimit(25, 100),
    status: policyStatus.optional(),
    search: searchText.optional(),
    /** Those of the organization and those of its company. */
    orgId: uuid.optional(),
  }),
  reply: paged(configurationPolicy),
})

export const createPolicy = endpoint({
  name: 'configuration-policies.create',
  method: 'POST',
  path: '/configuration-policies',
  summary: 'Create a policy; it says nothing yet and is assigned to nothing',
  access: write,
  body: z.object({
    name: name255,
    description: textOfLines(2000).nullable().optional(),
    status: policyStatus.default('active'),
    orgId: uuid.optional(),
    ownerScope: z.enum(['organization', 'partner']).optional(),
  }),
  status: 201,
  reply: configurationPolicy,
  audit: 'config_policy.create',
})

export const readPolicy = endpoint({
  name: 'configuration-policies.read',
  method: 'GET',
  path: '/configuration-policies/:id',
  summary: 'One policy with what it says',
  access: read,
  params,
  reply: configurationPolicy,
})

export const updatePolicy = endpoint({
  name: 'configuration-policies.update',
  method: 'PATCH',
  path: '/configuration-policies/:id',
  summary: 'Change the name, description or status of a policy',
  access: write,
  params,
  body: z.object({
    name: name255.optional(),
    description: textOfLines(2000).nullable().optional(),
    status: policyStatus.optional(),
  }),
  reply: configurationPolicy,
  audit: 'config_policy.update',
})

export const deletePolicy = endpoint({
  name: 'configuration-policies.delete',
  method: 'DELETE',
  path: '/configuration-policies/:id',
  summary: 'Delete a policy with its settings and assignments',
  access: write,
  params,
  reply: ok,
  audit: 'config_policy.delete',
})

export const listPolicyLinks = endpoint({
  name: 'configuration-policies.features',
  method: 'GET',
  path: '/configuration-policies/:id/features',
  summary: 'What a policy says, by feature',
  access: read,
  params,
  reply: z.object({ data: z.array(policyLink) }),
})

export const addPolicyLink = endpoint({
  name: 'configuration-policies.feature-add',
  method: 'POST',
  path: '/configuration-policies/:id/features',
  summary:
    'Let a policy say something about a feature, once for each. For `backup` the settings are: backupMode, targets, schedule, retention, destinationConfigId, bandwidthLimitMbps; `featurePolicyId` names a profile, which takes the place of backupMode and targets',
  access: write,
  params,
  body: z
    .object({
      featureType,
      featurePolicyId: uuid.nullable().optional(),
      inlineSettings: settings.nullable().optional(),
    })
    .superRefine(({ featurePolicyId, inlineSettings }, context) => {
      if (featurePolicyId || inlineSettings) return
      const path = [featurePolicyId === null ? 'featurePolicyId' : 'inlineSettings']
      context.addIssue({ code: 'custom', path, message: 'featurePolicyId or inlineSettings is required' })
    }),
  status: 201,
  reply: policyLink,
  audit: 'config_policy.feature_link.add',
})

export const updatePolicyLink = endpoint({
  name: 'configuration-policies.feature-update',
  method: 'PATCH',
  path: '/configuration-policies/:id/features/:linkId',
  summary: 'Replace the settings, or what they are based on',
  access: write,
  params: params.extend({ linkId: pathId }),
  body: z.object({
    featurePolicyId: uuid.nullable().optional(),
    inlineSettings: settings.nullable().optional(),
  }),
  reply: policyLink,
  audit: 'config_policy.feature_link.update',
})

export const removePolicyLink = endpoint({
  name: 'configuration-policies.feature-remove',
  method: 'DELETE',
  path: '/configuration-policies/:id/features/:linkId',
  summary: 'Let a policy say nothing about a feature any more',
  access: write,
  params: params.extend({ linkId: pathId }),
  reply: ok,
  audit: 'config_policy.feature_link.remove',
})

export const listAssignments = endpoint({
  name: 'configuration-policies.assignments',
  method: 'GET',
  path: '/configuration-policies/:id/assignments',
  summary: 'Where a policy is assigned, as far as that is in reach',
  access: read,
  params,
  reply: z.object({ data: z.array(policyAssignment) }),
})

export const assignPolicy = endpoint({
  name: 'configuration-policies.assign',
  method: 'POST',
  path: '/configuration-policies/:id/assignments',
  summary: 'Assign a policy; its company is the only target at level `partner` and needs no `targetId`',
  access: write,
  params,
  body: z
    .object({
      level: assignmentLevel,
      targetId: uuid.optional(),
      priority: z.int().min(0).max(1000).default(0),
      roleFilter: z.array(deviceRole).max(50).nullable().optional().transform(orNull).pipe(filters.roleFilter),
      osFilter: z.array(osType).max(10).nullable().optional().transform(orNull).pipe(filters.osFilter),
    })
    .refine(({ level, targetId }) => level === 'partner' || targetId !== undefined, {
      path: ['targetId'],
      message: 'Required at this level',
    }),
  status: 201,
  reply: policyAssignment,
  audit: 'config_policy.assign',
})

export const unassignPolicy = endpoint({
  name: 'configuration-policies.unassign',
  method: 'DELETE',
  path: '/configuration-policies/:id/assignments/:assignmentId',
  summary: 'End an assignment',
  access: write,
  params: params.extend({ assignmentId: pathId }),
  reply: ok,
  audit: 'config_policy.unassign',
})

export const assignmentsOfTarget = endpoint({
  name: 'configuration-policies.assignments-of-target',
  method: 'GET',
  path: '/configuration-policies/assignments/target',
  summary: 'The policies assigned to one target',
  access: read,
  query: z.object({ level: assignmentLevel, targetId: uuid }),
  reply: z.object({ data: z.array(policyAssignment) }),
})

export const effectivePolicy = endpoint({
  name: 'configuration-policies.effective',
  method: 'GET',
  path: '/configuration-policies/effective/:deviceId',
  summary: 'What applies to a device, and why: every assignment that names it, from the one that goes first',
  access: read,
  params: z.object({ deviceId: pathId }),
  reply: z.object({
    features: z.partialRecord(featureType, effectiveFeature),
    inheritanceChain: z.array(chainEntry),
  }),
})
