import { queueCommands, runScripts } from '../../shared/api/commands.ts'
import { changeDeviceTags, exportDevices, setDevicesMaintenance } from '../../shared/api/devices.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { api } from '../lib/api.ts'
import { queryClient } from '../lib/query-client.ts'
import { receivedFile } from '../lib/received-file.ts'

/** What is done with several devices at once. */

const devicesChanged = () => queryClient.invalidateQueries({ queryKey: ['devices'] })

export const tagDevices = {
  mutationFn: (body: InputOf<typeof changeDeviceTags>['body']) => api.call(changeDeviceTags, { body }),
  onSuccess: devicesChanged,
}

export const maintainDevices = {
  mutationFn: (body: InputOf<typeof setDevicesMaintenance>['body']) => api.call(setDevicesMaintenance, { body }),
  onSuccess: devicesChanged,
}

export const commandDevices = {
  mutationFn: (body: InputOf<typeof queueCommands>['body']) => api.call(queueCommands, { body }),
  onSuccess: devicesChanged,
}

export const scriptDevices = {
  mutationFn: (body: InputOf<typeof runScripts>['body']) => api.call(runScripts, { body }),
  onSuccess: devicesChanged,
}

export type DeviceExportInput = NonNullable<InputOf<typeof exportDevices>['body']>

/** Devices as a CSV file. */
export async function devicesFile(body: DeviceExportInput, signal: AbortSignal): Promise<Blob> {
  return receivedFile(await api.open(exportDevices, { body }, signal), 'text/csv', signal)
}
