import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  downloadComponent,
  listLackingDevices,
  type ProgramView,
  readComponent,
  removeProgram,
  uploadComponent,
} from '../../shared/api/components.ts'
import type { ComponentName } from '../../shared/components.ts'
import type { BodyOf, ReplyOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'

export type ComponentState = ReplyOf<typeof readComponent>
export type LackingDevice = ReplyOf<typeof listLackingDevices>['data'][number]

const components = ['components'] as const

export const componentQuery = (component: ComponentName) =>
  queryOptions({
    queryKey: [...components, component],
    queryFn: ({ signal }) => api.call(readComponent, { params: { component } }, signal),
    refetchInterval: ({ state }) => (state.data?.download?.state === 'running' ? 1000 : false),
  })

export const lackingDevicesQuery = (component: ComponentName, { page, limit }: { page: number; limit: number }) =>
  queryOptions({
    queryKey: [...components, component, 'lacking', { page, limit }],
    queryFn: ({ signal }) =>
      api.call(
        listLackingDevices,
        { params: { component }, query: { page: String(page), limit: String(limit) } },
        signal,
      ),
    placeholderData: keepPreviousData,
  })

export const componentChanged = () => queryClient.invalidateQueries({ queryKey: components })

export const startDownload = (component: ComponentName, body: BodyOf<typeof downloadComponent>) =>
  api.call(downloadComponent, { params: { component }, body })

export const uploadRelease = (component: ComponentName, files: readonly File[]) =>
  api.upload(uploadComponent, { params: { component } }, ...files)

export const deleteProgram = (component: ComponentName, { version, platform }: ProgramView) =>
  api.call(removeProgram, { params: { component, version, platform } })
