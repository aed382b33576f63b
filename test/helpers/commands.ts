import { randomUUID } from 'node:crypto'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { type DeviceCommand, listCommands, queueCommand, readCommand, runScript } from '../../shared/api/commands.ts'
import { passFactor } from './sessions.ts'
import type { TestApp } from './test-app.ts'

/** A person at the console who has shown a second factor and sends commands to devices. */
export function commander(app: TestApp, token: string) {
  passFactor(app, token)
  return {
    queue: (deviceId: string, type: 'reboot' | 'shutdown' | 'refresh_inventory' | 'script' = 'reboot') =>
      app.call(queueCommand, { params: { id: deviceId }, body: { type } }, { token }),
    script: (deviceId: string, content = 'echo hi', timeoutSeconds?: number) =>
      app.call(
        runScript,
        { params: { id: deviceId }, body: { language: 'bash', content, ...(timeoutSeconds && { timeoutSeconds }) } },
        { token },
      ),
    read: async (deviceId: string, commandId: string) =>
      (await app.call(readCommand, { params: { id: deviceId, commandId } }, { token })).body.data,
    list: (deviceId: string) => app.call(listCommands, { params: { id: deviceId } }, { token }),
    cancel: async (deviceId: string, commandId: string) => {
      const response = await app.inject({
        method: 'POST',
        url: `/api/v1/devices/${deviceId}/commands/${commandId}/cancel`,
        headers: { authorization: `Bearer ${token}` },
      })
      return { status: response.statusCode, body: response.json() as { data: DeviceCommand; code?: string } }
    },
  }
}

/** A pending command of any type and role, as policies and schedulers will queue them. */
export function insertCommand(
  app: TestApp,
  deviceId: string,
  values: { type?: string; target_role?: 'agent' | 'watchdog' } = {},
): string {
  const id = randomUUID()
  app.db.run(
    q.insertInto('device_commands').values({
      id,
      device_id: deviceId,
      type: 'list_processes',
      payload: toJson({}),
      status: 'pending',
      created_by: null,
      created_at: new Date(app.clock.now()).toISOString(),
      expires_at: null,
      ...values,
    }),
  )
  return id
}

export function commandOf(app: TestApp, id: string) {
  const row = app.db.first(q.selectFrom('device_commands').selectAll().where('id', '=', id))
  if (!row) throw new Error(`there is no command ${id}`)
  return { ...row, result: JSON.parse(row.result ?? 'null') as Record<string, unknown> | null }
}
