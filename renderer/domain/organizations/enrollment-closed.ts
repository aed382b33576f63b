import type { Organization } from '../../../shared/api/organizations.ts'

type Status = Organization['status']

const closedStates: Record<Status, [is: string, until: string] | null> = {
  active: null,
  trial: null,
  suspended: ['is suspended', 'it is resumed'],
  offboarding: ['is being closed', 'closing is canceled'],
  churned: ['is closed', 'it is reopened'],
  merging: ['is being merged', 'the merge is finished'],
  archived: ['is archived', 'it is restored'],
  purging: ['is being deleted', ''],
}

/** Why no device can enroll in an organization, and until when; null if devices can. */
export function enrollmentClosedReason({ name, status }: { name: string; status: Status }): string | null {
  const reason = closedStates[status]
  if (!reason) return null
  const [is, until] = reason
  return `${name} ${is}. Devices can’t join${until && ` until ${until}`}.`
}
