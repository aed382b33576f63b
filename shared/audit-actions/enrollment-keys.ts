export const enrollmentKeysActions = {
  'agent.enroll': 'Enrolled a device',
  'enrollment_key.create': 'Created an enrollment key',
  'enrollment_key.rotate': 'Replaced an enrollment key',
  'enrollment_key.delete': 'Deleted an enrollment key',
  'enrollment_key.purge_expired': 'Cleared away expired enrollment keys',
} as const
