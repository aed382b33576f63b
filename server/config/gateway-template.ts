export type GatewayFormat = 'json' | 'form'
type Values = { to: string; text: string }
/** The template again, with every value in it changed. */
type Rewrite = (change: (value: string) => string) => string

const placeholder = /\{\{(to|text)\}\}/g

/**
 * Makes the bodies of requests from the template of a gateway. The template is parsed before anything is put into it, so
 * no message can break out of its value. Throws an Error whose message says what is wrong with the template.
 */
export function compileTemplate(format: GatewayFormat, template: string): (values: Values) => string {
  const rewrite = format === 'json' ? parseJson(template) : parseForm(template)
  const used = new Set<string>()
  rewrite((value) => {
    for (const [, name = ''] of value.matchAll(placeholder)) used.add(name)
    return value
  })
  for (const name of ['to', 'text']) if (!used.has(name)) throw new Error(`must contain {{${name}}} in a value`)
  return (values) => rewrite((value) => value.replace(placeholder, (_, name: keyof Values) => values[name]))
}

function parseForm(template: string): Rewrite {
  const fields = [...new URLSearchParams(template)]
  return (change) => String(new URLSearchParams(fields.map(([name, value]): [string, string] => [name, change(value)])))
}

function parseJson(template: string): Rewrite {
  let document: unknown
  try {
    document = JSON.parse(template)
  } catch {
    throw new Error('must be valid JSON')
  }
  return (change) => JSON.stringify(document, (_key, value) => (typeof value === 'string' ? change(value) : value))
}
