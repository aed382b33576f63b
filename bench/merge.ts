import { mergeOrganization, readMergeRun } from '../shared/api/organization-merge.ts'
import type { ReplyOf } from '../shared/endpoint.ts'
import { largeAndNext, type MeanwhileReport, measureMeanwhile, prepareLarge } from './meanwhile.ts'
import type { World } from './world.ts'

/** An organization with 10,000 devices is merged into another one while everybody else goes on working. */

const contacts = 1000

/** For the server: calls under way get no time to end before, since it is the move that is measured. */
export const mergeEnv = { ENABLE_2FA: 'false', ORG_MERGE_FENCE_DRAIN_MS: '0' }

export const prepareMerge = (databaseFile: string): void =>
  prepareLarge(databaseFile, (db, large) => {
    const contact = db.statement(
      `INSERT INTO contacts (id, org_id, name, email, created_at, updated_at) VALUES (?, ?, ?, ?, '', '')`,
    )
    for (let n = 0; n < contacts; n++) contact.run(`contact-${n}`, large, `Contact ${n}`, `c${n}@bench.test`)
  })

export async function measureMerge(world: World): Promise<MeanwhileReport> {
  const { origin, headers } = world
  const [loser, survivorId] = largeAndNext(world)
  const address = `${origin}/api/v1${readMergeRun.path.replace(':jobId', `org-merge-${loser}`)}`
  return measureMeanwhile(
    world,
    async () => {
      await fetch(`${origin}/api/v1${mergeOrganization.path.replace(':id', loser)}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ survivorId }),
      })
    },
    async () => {
      const run = (await (await fetch(address, { headers })).json()) as ReplyOf<typeof readMergeRun>
      if (run.state === 'failed') throw new Error(`the merge failed: ${run.failedReason}`)
      return run.state === 'completed' ? null : String(run.progress?.movedRows)
    },
  )
}
