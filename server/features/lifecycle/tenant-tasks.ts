import type { NewTask, Task, TaskState } from '../../platform/tasks/index.ts'

/** Key of long work on an organization: of all that is done to those of one partner, one at a time. */
export const oneOfPartner = ({ partnerId = '' }: Pick<NewTask<unknown>, 'partnerId'>): string => `partner ${partnerId}`

/** Whose organization such a task is about. */
export function tenantOf({ id, orgId, partnerId }: Pick<Task, 'id' | 'orgId' | 'partnerId'>) {
  if (orgId === null || partnerId === null) throw new Error(`${id} is about no organization`)
  return { orgId, partnerId }
}

/** In the words of the API, where such a task has ended well or has not. */
export const tenantTaskState = (state: TaskState) => (state === 'cancelled' || state === 'expired' ? 'failed' : state)
