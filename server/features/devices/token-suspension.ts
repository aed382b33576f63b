import type { Database } from '../../db/database.ts'

/** Why a tenant suspends the tokens of its agents. Those suspended for any other reason are left alone. */
export type TenantSuspension = 'tenant_suspended' | 'org_archived'

const ofTenant = `agent_token_suspended_reason IN ('tenant_suspended', 'org_archived')`
const those = 'seq IN (SELECT value FROM json_each(@seqs))'
const suspend = `UPDATE devices SET agent_token_suspended_at = @now, agent_token_suspended_reason = @reason
  WHERE ${those} AND (agent_token_suspended_at IS NULL OR ${ofTenant} AND agent_token_suspended_reason <> @reason)`
const lift = `UPDATE devices SET agent_token_suspended_at = NULL, agent_token_suspended_reason = NULL
  WHERE ${those} AND ${ofTenant}`

/** Suspends the tokens of many devices, or with null gives them back: hashes are kept. `seqs` are `devices.seq`. */
export function suspendTokens(
  db: Database,
  seqs: readonly number[],
  reason: TenantSuspension | null,
  now: string,
): void {
  const parameters = { seqs: JSON.stringify(seqs), now, reason }
  db.statement(reason ? suspend : lift).run(parameters)
}
