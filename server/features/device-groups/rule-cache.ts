import type { FilterConditions } from '../../../shared/device-filter.ts'
import { type Rule, ruleOf } from './rule.ts'

const mostRules = 200
const mostCharacters = 1_000_000

/** Rules made of their texts, as groups keep them. */
export class RuleCache {
  readonly #rules = new Map<string, Rule>()
  #characters = 0

  /** Null for a group without conditions, which finds nothing. */
  of(text: string | null): Rule | null {
    if (text === null) return null
    const known = this.#rules.get(text)
    if (known) return known
    const rule = ruleOf(JSON.parse(text) as FilterConditions)
    this.#characters += text.length
    if (this.#rules.size >= mostRules || this.#characters > mostCharacters) {
      this.#rules.clear()
      this.#characters = text.length
    }
    this.#rules.set(text, rule)
    return rule
  }
}
