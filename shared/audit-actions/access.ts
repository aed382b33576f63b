export const accessActions = {
  'ip_allowlist.denied': 'Was refused at this network address',
  'ip_allowlist.bypass_platform_admin': 'Came in past the list of allowed addresses',
} as const
