import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  cancelCommand,
  type DeviceCommand,
  listCommands,
  queueCommand,
  readCommand,
  runScript,
} from '../../shared/api/commands.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'

export const commandKeys = {
  list: (deviceId: string) => ['devices', 'one', deviceId, 'commands'] as const,
  one: (deviceId: string, commandId: string) => ['devices', 'one', deviceId, 'command', commandId] as const,
}

const commandPageSize = 20

export const commandsQuery = (deviceId: string, page: number) =>
  queryOptions({
    queryKey: [...commandKeys.list(deviceId), { page }],
    queryFn: ({ signal }) =>
      api.call(
        listCommands,
        { params: { id: deviceId }, query: { page: String(page), limit: String(commandPageSize) } },
        signal,
      ),
    placeholderData: keepPreviousData,
  })

const openCommandsShown = 5

/** Those that have not ended; live events may end them before they are read again. */
export const openCommandsQuery = (deviceId: string) =>
  queryOptions({
    queryKey: [...commandKeys.list(deviceId), 'open'],
    queryFn: ({ signal }) =>
      api.call(
        listCommands,
        { params: { id: deviceId }, query: { open: 'true', limit: String(openCommandsShown) } },
        signal,
      ),
    select: ({ data }) => data.filter(isRunning),
  })

export const isRunning = (command: Pick<DeviceCommand, 'status'>): boolean =>
  command.status === 'pending' || command.status === 'sent'

/** One command with its output. Live events extend it; the slow polling while it runs covers a broken stream. */
export const commandQuery = (deviceId: string, commandId: string) =>
  queryOptions({
    queryKey: commandKeys.one(deviceId, commandId),
    queryFn: async ({ signal }) => (await api.call(readCommand, { params: { id: deviceId, commandId } }, signal)).data,
    refetchInterval: ({ state }) => (state.data && isRunning(state.data) ? 10_000 : false),
  })

const listChanged = (deviceId: string) => queryClient.invalidateQueries({ queryKey: commandKeys.list(deviceId) })

type Script = InputOf<typeof runScript>['body']

export const runScriptMutation = (deviceId: string) => ({
  mutationFn: (body: Script) => api.call(runScript, { params: { id: deviceId }, body }),
  onSuccess: () => listChanged(deviceId),
})

export const queueCommandMutation = (deviceId: string) => ({
  mutationFn: (type: 'reboot' | 'shutdown' | 'refresh_inventory') =>
    api.call(queueCommand, { params: { id: deviceId }, body: { type } }),
  onSuccess: () => listChanged(deviceId),
})

export const cancelCommandMutation = (deviceId: string) => ({
  mutationFn: (commandId: string) => api.call(cancelCommand, { params: { id: deviceId, commandId } }),
  onSuccess: (_: unknown, commandId: string) =>
    Promise.all([
      listChanged(deviceId),
      queryClient.invalidateQueries({ queryKey: commandKeys.one(deviceId, commandId) }),
    ]),
})
