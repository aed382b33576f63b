import type { Database } from '../../db/database.ts'
import type { Steps } from '../../lib/pieces.ts'
import { type DeviceFactsRow, Facts } from './facts.ts'
import { askedByAll, type Rule } from './rule.ts'
import type { RuleCache } from './rule-cache.ts'
import type { GroupRow } from './store.ts'

/** What decides which devices a group is for; a group may have yet to be made of it. */
export type GroupRule = Pick<GroupRow, 'org_id' | 'site_id' | 'filter_conditions'>

/** Which of these devices fit the rule of each group: what is known of a device is read once for all of them. */
export function* matchDevices<Group extends GroupRule>(
  db: Database,
  rules: RuleCache,
  groups: readonly Group[],
  devices: readonly DeviceFactsRow[],
  now: number,
): Steps<{ group: Group; fit: DeviceFactsRow[] }[]> {
  const ruled: { group: Group; rule: Rule | null; fit: DeviceFactsRow[] }[] = []
  for (const group of groups) {
    ruled.push({ group, rule: rules.of(group.filter_conditions), fit: [] })
    yield
  }
  const asked = yield* askedByAll(ruled.flatMap(({ rule }) => rule ?? []))
  for (const device of devices) {
    const facts = new Facts(db, device, asked, now)
    for (const { group, rule, fit } of ruled) {
      yield
      if (rule && isInScope(group, device) && (yield* rule.fits(facts, now))) fit.push(device)
    }
  }
  return ruled
}

/** What is decommissioned is found by no rule. */
const isInScope = (group: GroupRule, { org_id, site_id, status }: DeviceFactsRow) =>
  org_id === group.org_id && (group.site_id === null || group.site_id === site_id) && status !== 'decommissioned'
