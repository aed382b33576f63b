import type { Organization } from '../../../shared/api/organizations.ts'

const frozen: Organization['status'][] = ['merging', 'archived', 'purging']

/** Whether nothing in the organization may be changed, whatever the role. */
export const isFrozen = ({ status }: Pick<Organization, 'status'>): boolean => frozen.includes(status)
