import { createBackupConfig } from '../../shared/api/backup-configs.ts'
import {
  type BackupJob,
  cancelBackupJob,
  listBackupJobs,
  readBackupJob,
  runBackup,
} from '../../shared/api/backup-jobs.ts'
import { listBackupSnapshots } from '../../shared/api/backup-snapshots.ts'
import { passFactor } from './sessions.ts'
import type { TestApp } from './test-app.ts'

function shown<Row>({ status, body }: { status: number; body: { data: Row[] } }): Row[] {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body.data
}

/** A person at the console who has shown a second factor and looks after backups. */
export function backupOperator(app: TestApp, token: string) {
  passFactor(app, token)
  const cancel = (id: string) => app.call(cancelBackupJob, { params: { id } }, { token })
  return {
    /** Storage in the appliance itself. */
    storage: async (body: object = {}, orgId?: string) => {
      const wanted = { body: { name: 'Appliance', provider: 'local', isDefault: true, details: {}, ...body } }
      const call = { ...wanted, query: { ...(orgId && { orgId }) } }
      const created = await app.call(createBackupConfig, call as never, { token })
      if (created.status !== 201) throw new Error(`storage: ${created.status} ${JSON.stringify(created.body)}`)
      return created.body
    },
    run: (deviceId: string) => app.call(runBackup, { params: { deviceId } }, { token }),
    job: async (id: string) => (await app.call(readBackupJob, { params: { id } }, { token })).body,
    jobs: async (query: object = {}): Promise<BackupJob[]> =>
      shown(await app.call(listBackupJobs, { query } as never, { token })),
    snapshots: async (query: object = {}) => shown(await app.call(listBackupSnapshots, { query } as never, { token })),
    cancel,
  }
}
