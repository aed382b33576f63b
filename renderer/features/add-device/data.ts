import { queryOptions } from '@tanstack/react-query'
import { connectionInfo } from '../../../shared/api/system.ts'
import { api } from '../../lib/api.ts'

export const connectionQuery = queryOptions({
  queryKey: ['connection'],
  queryFn: ({ signal }) => api.call(connectionInfo, {}, signal),
})
