import type { Refusals } from './refusals.ts'

export const configurationPoliciesErrors = {
  policy_not_found: {
    status: 404,
    error: 'Configuration policy not found',
    onScreen: 'This policy no longer exists.',
  },
  policy_link_not_found: {
    status: 404,
    error: 'Feature link not found',
    onScreen: 'The policy no longer has these settings.',
  },
  policy_link_exists: {
    status: 409,
    error: 'This policy already has settings for this feature',
    onScreen: 'This policy already has settings for this feature. Change those instead.',
  },
  policy_assignment_not_found: {
    status: 404,
    error: 'Assignment not found',
    onScreen: 'This assignment no longer exists.',
  },
  policy_assignment_exists: {
    status: 409,
    error: 'This policy is already assigned to this target at this level',
    onScreen: 'The policy is already assigned there.',
  },
  policy_assignment_limit: {
    status: 409,
    error: 'This policy has too many assignments; assign it to a group, site or organization instead',
    onScreen: 'A policy can have at most {max} assignments. Assign it to a group, site or organization instead.',
  },
  policy_target_denied: {
    status: 403,
    error: 'The target does not belong to the owner of this policy',
    onScreen: 'The policy can’t be assigned there: it belongs to another organization.',
  },
  policy_partner_level: {
    status: 400,
    error: 'Only a partner-wide policy can be assigned at level partner',
    onScreen: 'Only a policy of the company can apply to the whole company.',
  },
  policy_device_denied: {
    status: 404,
    error: 'Device not found or access denied',
    onScreen: 'This device no longer exists, or you don’t have access to it.',
  },
} as const satisfies Refusals
