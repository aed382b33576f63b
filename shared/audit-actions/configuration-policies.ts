export const configurationPoliciesActions = {
  'config_policy.create': 'Created a policy',
  'config_policy.update': 'Changed a policy',
  'config_policy.delete': 'Deleted a policy',
  'config_policy.assign': 'Assigned a policy',
  'config_policy.unassign': 'Ended the assignment of a policy',
  'config_policy.feature_link.add': 'Added settings to a policy',
  'config_policy.feature_link.update': 'Changed settings of a policy',
  'config_policy.feature_link.remove': 'Removed settings from a policy',
} as const
