import type { Organization } from '../../../shared/api/organizations.ts'

const frozen: Organization['status'][] = ['merging', 'archived', 'purging']

/** Whether nothing of it may be changed, whatever one's role. */
export const isFrozen = ({ status }: Pick<Organization, 'status'>): boolean => frozen.includes(status)
