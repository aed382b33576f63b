import type { ChainEntry, effectivePolicy } from '../../../shared/api/configuration-policies.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { UserActor } from '../../platform/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { policiesOfDevice } from './matching.ts'
import type { Candidate, Judged } from './resolution.ts'

/** What applies to a device, and why. */
export function effectiveFor(db: Database, actor: UserActor, deviceId: string): ReplyOf<typeof effectivePolicy> {
  const seen = q.selectFrom('devices').select('id').where('id', '=', deviceId).where(withinReach(actor, 'devices'))
  const policies = db.first(seen) && policiesOfDevice(db, deviceId)
  if (!policies) throw new AppError('policy_device_denied')
  const { judged } = policies
  return {
    features: Object.fromEntries(judged.flatMap(featuresWonBy)),
    inheritanceChain: judged.map((entry) => chainEntry(entry, targetName(db, actor, entry.candidate))),
  }
}

function featuresWonBy({ candidate: { policy, level, targetId, priority }, won }: Judged) {
  const source = {
    sourceLevel: level,
    sourceTargetId: targetId,
    sourcePolicyId: policy.id,
    sourcePolicyName: policy.name,
    sourcePriority: priority,
  }
  return won.map(({ featureType, featurePolicyId, inlineSettings }) => [
    featureType,
    { featureType, featurePolicyId, inlineSettings, ...source },
  ])
}

const chainEntry = ({ candidate, outcome }: Judged, targetName: string | null): ChainEntry => ({
  assignmentId: candidate.assignmentId,
  policyId: candidate.policy.id,
  policyName: candidate.policy.name,
  policyStatus: candidate.policy.status,
  level: candidate.level,
  targetId: candidate.targetId,
  targetName,
  priority: candidate.priority,
  roleFilter: candidate.roleFilter && [...candidate.roleFilter],
  osFilter: candidate.osFilter && [...candidate.osFilter],
  assignedAt: candidate.assignedAt,
  featureTypes: candidate.policy.links.map(({ featureType }) => featureType),
  outcome,
})

/** Null also for one that somebody confined to sites or groups does not see, though their device is in it. */
function targetName(db: Database, actor: UserActor, { level, targetId }: Candidate): string | null {
  switch (level) {
    case 'device': {
      const device = q.selectFrom('devices').select(['hostname', 'display_name']).where('id', '=', targetId)
      const { display_name, hostname } = db.one(device)
      return display_name ?? hostname
    }
    case 'device_group':
    case 'site':
    case 'organization': {
      const table = ({ device_group: 'device_groups', site: 'sites', organization: 'organizations' } as const)[level]
      const named = q.selectFrom(table).select('name').where('id', '=', targetId).where(withinReach(actor, table))
      return db.first(named)?.name ?? null
    }
    case 'partner':
      return null
  }
}
