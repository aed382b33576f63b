import type { Database } from '../../db/database.ts'
import type { Flag } from '../../db/table.ts'
import type { Steps } from '../../lib/pieces.ts'
import {
  activePolicies,
  applies,
  type DevicePolicies,
  policiesInOrganization,
  policiesOfDevice,
} from '../configuration-policies/index.ts'
import type { DeviceBackup } from './device-backup.ts'
import { OrganizationFacts } from './organization-facts.ts'
import { Plans } from './plans.ts'
import { mergedProtection } from './protection.ts'

const organizationsPerRead = 200

/** What is backed up of which device, when and where to, by the policies that apply to it. */
export class BackupPolicies {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Undefined where there is no such device. */
  ofDevice(deviceId: string): DeviceBackup | undefined {
    const policies = policiesOfDevice(this.#db, deviceId)
    if (!policies) return undefined
    return backupOf(policies, new OrganizationFacts(this.#db, policies.device.orgId), new Plans(this.#db))
  }

  /** The same for each device of an organization that policies name and that is not decommissioned; `found` is called with one after the other. */
  *inOrganization(orgId: string, found: (backup: DeviceBackup) => void): Steps<void> {
    const facts = new OrganizationFacts(this.#db, orgId)
    const plans = new Plans(this.#db)
    yield* policiesInOrganization(this.#db, orgId, (policies) => found(backupOf(policies, facts, plans)))
  }

  /** Of these policies one that still asks for a legal hold, wherever it is assigned; null where none does. */
  holding(policyIds: readonly string[]): { policyName: string } | null {
    const plans = new Plans(this.#db)
    const policy = activePolicies(this.#db, policyIds).find(({ links }) =>
      links.some((link) => link.featureType === 'backup' && plans.of(link).retention.legalHold),
    )
    return policy ? { policyName: policy.name } : null
  }

  /** Organizations at work in which a policy with backups is assigned, or in whose company one is assigned to all. */
  *organizationIds(): Steps<string[]> {
    const page = this.#db.statement<{ id: string; hasBackups: Flag }>(
      `SELECT id, EXISTS (
         SELECT 1 FROM config_policy_assignments AS assignment
           JOIN configuration_policies AS policy ON policy.id = assignment.config_policy_id AND policy.status = 'active'
           JOIN config_policy_feature_links AS link ON link.config_policy_id = policy.id AND feature_type = 'backup'
         WHERE assignment.org_id = organizations.id OR assignment.partner_id = organizations.partner_id) AS hasBackups
       FROM organizations
       WHERE id > +? AND deleted_at IS NULL AND status IN ('active', 'trial') ORDER BY id LIMIT ${organizationsPerRead}`,
    )
    const found: string[] = []
    for (let last = ''; ; ) {
      const rows = page.all(last)
      for (const { id, hasBackups } of rows) if (hasBackups) found.push(id)
      const end = rows.at(-1)
      if (!end) return found
      last = end.id
      yield
    }
  }
}

function backupOf({ device, judged }: DevicePolicies, facts: OrganizationFacts, plans: Plans): DeviceBackup {
  const applying = judged.filter(applies).flatMap(({ candidate }) => {
    const link = candidate.policy.links.find(({ featureType }) => featureType === 'backup')
    return link ? [{ candidate, plan: plans.of(link) }] : []
  })
  const [first] = applying
  const configId = first && facts.storage(first.plan.destinationId)
  return {
    device,
    source: first
      ? {
          assignmentId: first.candidate.assignmentId,
          policyId: first.candidate.policy.id,
          policyName: first.candidate.policy.name,
          level: first.candidate.level,
          targetId: first.candidate.targetId,
          priority: first.candidate.priority,
        }
      : null,
    plan: first?.plan ?? null,
    destination: configId ? { configId } : 'no_config',
    timeZone: facts.timeZone(first?.plan.timezone, device.siteId),
    protection: mergedProtection(
      applying.map(({ candidate: { policy }, plan }) => ({
        policyId: policy.id,
        policyName: policy.name,
        retention: plan.retention,
      })),
    ),
    chain: judged,
  }
}
