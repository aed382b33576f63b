import { LRUCache } from 'lru-cache'
import type { FilterConditions } from '../../../shared/device-filter.ts'
import { fromJson, type JsonText } from '../../lib/json.ts'
import { type Rule, ruleOf } from './rule.ts'

const maxRules = 200
const maxCharacters = 1_000_000

/** Rules made of their texts, as groups keep them. */
export class RuleCache {
  readonly #rules = new LRUCache<string, Rule>({
    max: maxRules,
    maxSize: maxCharacters,
    sizeCalculation: (_rule, text) => text.length,
  })

  /** Null for a group without conditions, which finds nothing. */
  of(text: JsonText<FilterConditions> | null): Rule | null {
    if (text === null) return null
    const known = this.#rules.get(text)
    if (known) return known
    const rule = ruleOf(fromJson(text))
    this.#rules.set(text, rule)
    return rule
  }
}
