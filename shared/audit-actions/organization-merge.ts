export const organizationMergeActions = {
  'org.merge.requested': 'Started merging organizations',
  'org.merge.completed': 'Merged organizations',
  'org.merge.failed': 'Failed to merge organizations',
  'org.merge.erasure_enqueued': 'Started removing a merged organization',
  'org.merge.stamped_by_sweeper': 'Finished an interrupted merge',
  'org.merge.unfenced_by_sweeper': 'Unlocked the organizations of an interrupted merge',
} as const
