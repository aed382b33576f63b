export const componentsActions = {
  'platform_admin.components.add': 'Added a program for agents',
  'platform_admin.components.upload': 'Uploaded a program for agents',
  'platform_admin.components.download': 'Started downloading a program for agents',
  'platform_admin.components.remove': 'Removed a program for agents',
} as const
