import type { Query } from './query.ts'

/**
 * A query that is built once, for where building it each time would cost more than running it. `build` gets stand-ins
 * for its values, which are texts or null, and uses them as they are.
 */
export function prepared<Row>(
  build: (...values: string[]) => Query<Row>,
): (...values: (string | null)[]) => Query<Row> {
  const standIns = Array.from({ length: build.length }, (_, at) => `\u0000value ${at}`)
  const compiled = build(...standIns).compile()
  const places = compiled.parameters.map((value) => (typeof value === 'string' ? standIns.indexOf(value) : -1))
  return (...values) => {
    const parameters = places.map((place, at) => (place === -1 ? compiled.parameters[at] : values[place]))
    return { compile: () => ({ ...compiled, parameters }) }
  }
}
