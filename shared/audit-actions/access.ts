export const accessActions = {
  'ip_allowlist.denied': 'Was blocked at this network address',
  'ip_allowlist.bypass_platform_admin': 'Bypassed the IP allowlist',
} as const
