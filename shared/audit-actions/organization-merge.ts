export const organizationMergeActions = {
  'org.merge.requested': 'Began to merge organizations',
  'org.merge.completed': 'Merged organizations',
  'org.merge.failed': 'Failed to merge organizations',
  'org.merge.erasure_enqueued': 'Began to clear away a merged organization',
  'org.merge.stamped_by_sweeper': 'Finished a merge that was cut off',
  'org.merge.unfenced_by_sweeper': 'Released organizations of a merge that was cut off',
} as const
