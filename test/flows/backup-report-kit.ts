import { expect, onTestFinished } from 'vitest'
import { q } from '../../server/db/query.ts'
import { minute } from '../../server/platform/clock.ts'
import {
  backupDashboard,
  backupStatus,
  backupUsageHistory,
  type exportProtection,
  listProtection,
} from '../../shared/api/backup-reports.ts'
import type { InputOf } from '../../shared/endpoint.ts'
import { backupOperator } from '../helpers/backup-kit.ts'
import { type AgentSocket, type Credentials, connect, listening } from '../helpers/fake-device.ts'
import { mailRows, mailToFiles } from '../helpers/mail.ts'
import { setDevice } from '../helpers/rows.ts'
import { passFactor, sessionOf } from '../helpers/sessions.ts'
import { home, policyScene } from './policy-kit.ts'

export const good = { status: 'completed', filesBackedUp: 3, bytesBackedUp: 3000 }
export const failed = { status: 'failed', error: 'Disk is on fire' }
export const partial = { ...good, status: 'partial', errorCount: 2, failedFiles: [{ path: '/a', error: 'denied' }] }

/** Everybody who is mailed, and when their backups run. */
export const nightly = (emails: readonly string[] = ['ops@acme.test'], time = '02:00') => ({
  ...home,
  schedule: { frequency: 'daily', time, timezone: 'UTC' },
  notify: { emails },
})

/**
 * A company with three devices, whose storage is the appliance. The clock stands at 2026-03-01 09:00 UTC, or a little
 * later; sessions end while it moves on, so each call has a new one.
 */
export async function reportScene(env: Record<string, string> = {}) {
  const made = await policyScene({ ...mailToFiles, ...env })
  const { app, admin, org } = made
  await backupOperator(app, admin.token).storage({}, org.id)
  const origin = await listening(app)
  for (const { deviceId } of [made.one, made.two, made.far])
    setDevice(app, deviceId, { status: 'online', backup_version: 'restic/0.18.0' })
  const sockets = new Map<string, AgentSocket>()
  onTestFinished(async () => {
    for (const socket of sockets.values()) await socket.close()
  })

  const job = async (name: string) => {
    const { lastError } = await app.app.jobs.runNow(name)
    expect(lastError).toBeNull()
  }
  const look = () => job('backup.attention')
  const goTo = (instant: string) => app.clock.advance(Date.parse(instant) - app.clock.now())
  const token = async (userId = admin.userId) => {
    const made = await sessionOf(app, userId)
    passFactor(app, made)
    return made
  }
  const socketOf = async (device: Credentials) => {
    const known = sockets.get(device.deviceId) ?? (await connect(origin, device))
    sockets.set(device.deviceId, known)
    return known
  }
  let snapshots = 0
  /** Answers the newest backup of the device, which waits or runs. */
  const end = async (device: Credentials, result: object) => {
    const { id } = app.db.one(
      q
        .selectFrom('backup_jobs')
        .select('id')
        .where('device_id', '=', device.deviceId)
        .where('status', 'in', ['pending', 'running'])
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc'),
    )
    const socket = await socketOf(device)
    await socket.frame((frame) => frame.id === id)
    const snapshotId = (++snapshots).toString(16).padStart(64, '0')
    const isKept = 'filesBackedUp' in result
    socket.send({
      type: 'command_result',
      commandId: id,
      status: 'completed',
      result: isKept ? { ...result, snapshotId } : result,
    })
    await socket.settled()
    return id
  }

  return {
    ...made,
    ...{ job, look, goTo, end, token, origin },
    hangUp: async ({ deviceId }: Credentials) => {
      await sockets.get(deviceId)?.close()
      sockets.delete(deviceId)
    },
    /** The scheduler at this time, a few seconds late. */
    scheduleAt: async (instant: string) => {
      goTo(instant)
      await job('backup.schedule')
    },
    /** What the appliance does by itself some minutes after a backup was due. */
    afterwards: async () => {
      app.clock.advance(10 * minute)
      await look()
      await job('backup.mail')
    },
    mail: () => job('backup.mail'),
    /** So that the calls of the scene go on after its session has ended. */
    signInAgain: async () => {
      admin.token = await token()
    },
    mails: (kind: string) =>
      mailRows(app.db)
        .filter((row) => row.kind === kind)
        .map(({ recipient, data }) => ({ to: recipient, data: JSON.parse(data) as Record<string, unknown> })),
    /** The open problems of a device, by kind. */
    problems: (device: Credentials) =>
      app.db
        .all(
          q
            .selectFrom('backup_attention')
            .select('kind')
            .where('device_id', '=', device.deviceId)
            .where('resolved_at', 'is', null)
            .orderBy('kind'),
        )
        .map(({ kind }) => kind),
    dashboard: async (as?: string) =>
      (await app.call(backupDashboard, { query: { orgId: org.id } }, { token: as ?? (await token()) })).body.data,
    status: async (deviceId: string, as?: string) =>
      app.call(backupStatus, { params: { deviceId } }, { token: as ?? (await token()) }),
    usage: async (days?: string, as?: string) =>
      app.call(
        backupUsageHistory,
        { query: { orgId: org.id, ...(days !== undefined && { days }) } as never },
        { token: as ?? (await token()) },
      ),
    protection: async (query: InputOf<typeof listProtection>['query'] = {}, as?: string) =>
      (await app.call(listProtection, { query: { orgId: org.id, ...query } }, { token: as ?? (await token()) })).body,
    csv: async (query: InputOf<typeof exportProtection>['query'] = {}, as?: string) => {
      const search = new URLSearchParams({ orgId: org.id, ...query } as Record<string, string>)
      return app.inject({
        url: `/api/v1/backup/protection/export?${search}`,
        headers: { authorization: `Bearer ${as ?? (await token())}` },
      })
    },
  }
}
