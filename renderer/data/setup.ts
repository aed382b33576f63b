import { setupComplete } from '../../shared/api/system.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { meQuery } from '../lib/session.ts'

export const completeSetup = {
  mutationFn: () => api.call(setupComplete, {}),
  onSuccess: () => queryClient.fetchQuery({ ...meQuery, staleTime: 0 }),
}
