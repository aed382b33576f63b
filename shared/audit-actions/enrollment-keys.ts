export const enrollmentKeysActions = {
  'agent.enroll': 'Enrolled a device',
  'enrollment_key.create': 'Created an enrollment key',
  'enrollment_key.rotate': 'Rotated an enrollment key',
  'enrollment_key.delete': 'Deleted an enrollment key',
  'enrollment_key.purge_expired': 'Removed expired enrollment keys',
} as const
