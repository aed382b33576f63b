import type { z } from 'zod'
import {
  type AssignmentLevel,
  type AssignmentOutcome,
  assignmentLevels,
  type FeatureType,
  type PolicyStatus,
} from '../../../shared/api/configuration-policies.ts'
import type { deviceRole, OsType } from '../../../shared/device/inventory.ts'

type DeviceRole = z.infer<typeof deviceRole>

/** Which of the policies that name a device apply to it. Pure: everything it depends on is an argument. */

/** What a policy says about a feature. */
export interface Link {
  id: string
  featureType: FeatureType
  featurePolicyId: string | null
  inlineSettings: Record<string, unknown> | null
}

/** An assignment together with its policy. */
export interface Candidate {
  assignmentId: string
  level: AssignmentLevel
  targetId: string
  priority: number
  roleFilter: readonly DeviceRole[] | null
  osFilter: readonly OsType[] | null
  assignedAt: string
  policy: { id: string; name: string; status: PolicyStatus; links: readonly Link[] }
}

export interface Judged {
  candidate: Candidate
  outcome: AssignmentOutcome
  /** What it is that applies because of it. */
  won: readonly Link[]
}

/** What filters of assignments look at. */
export interface Traits {
  role: DeviceRole
  osType: OsType
}

/**
 * Every candidate with what became of it, from the one that goes first. For each feature the first one that applies wins
 * and is taken whole; `overridden` are those that apply and win nothing.
 */
export function judged(candidates: readonly Candidate[], traits: Traits): Judged[] {
  const decided = new Set<FeatureType>()
  return candidates.toSorted(byPrecedence).map((candidate) => {
    const refusal = whyNot(candidate, traits)
    if (refusal) return { candidate, outcome: refusal, won: [] }
    const won = candidate.policy.links.filter(({ featureType }) => !decided.has(featureType))
    for (const { featureType } of won) decided.add(featureType)
    return { candidate, outcome: won.length > 0 ? 'won' : 'overridden', won }
  })
}

/** Whether its policy applies to the device, if only after another one. */
export const applies = ({ outcome }: Judged): boolean => outcome === 'won' || outcome === 'overridden'

/** The closest level first, then the lower number, then the older assignment. */
const byPrecedence = (one: Candidate, other: Candidate): number =>
  rankOf(one) - rankOf(other) ||
  one.priority - other.priority ||
  compare(one.assignedAt, other.assignedAt) ||
  compare(one.assignmentId, other.assignmentId)

const ranks = new Map(assignmentLevels.map((level, rank) => [level, rank]))
const rankOf = ({ level }: Candidate): number => ranks.get(level) ?? ranks.size

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

function whyNot(
  { roleFilter, osFilter, policy }: Candidate,
  { role, osType }: Traits,
): Exclude<AssignmentOutcome, 'won' | 'overridden'> | null {
  if (policy.status !== 'active') return 'policy_inactive'
  if (roleFilter && !roleFilter.includes(role)) return 'role_mismatch'
  if (osFilter && !osFilter.includes(osType)) return 'os_mismatch'
  return policy.links.length === 0 ? 'no_settings' : null
}
