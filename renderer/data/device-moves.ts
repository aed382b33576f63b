import { moveDevices } from '../../shared/api/devices.ts'
import type { InputOf, ReplyOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { homeKeys } from './home.ts'
import { organizationDependentKeys } from './lifecycle.ts'

export type MoveOutcome = ReplyOf<typeof moveDevices>

export const moveDevicesMutation = {
  mutationFn: (body: InputOf<typeof moveDevices>['body']) => api.call(moveDevices, { body }),
  onSuccess: () =>
    Promise.all(
      [...organizationDependentKeys, ['devices', 'one'], homeKeys.all].map((queryKey) =>
        queryClient.invalidateQueries({ queryKey }),
      ),
    ),
}
