import type { SmsConfig } from './messaging.ts'

type Format = Extract<SmsConfig, { provider: 'gateway' }>['format']
type Values = { to: string; text: string }

const placeholder = /\{\{(to|text)\}\}/g

/**
 * Makes the bodies of requests from the template of a gateway. The template is parsed before anything is put into it, so
 * no message can break out of its string. Throws an Error whose message says what is wrong with the template.
 */
export function compileTemplate(format: Format, template: string): (values: Values) => string {
  const document = format === 'json' ? parseJson(template) : [...new URLSearchParams(template)]
  const used = new Set<string>()
  mapValues(document, (text) => {
    for (const [, name = ''] of text.matchAll(placeholder)) used.add(name)
    return text
  })
  for (const name of ['to', 'text']) if (!used.has(name)) throw new Error(`must contain {{${name}}} in a value`)
  return (values) => {
    const filled = mapValues(document, (text) => text.replace(placeholder, (_, name: keyof Values) => values[name]))
    return format === 'json' ? JSON.stringify(filled) : String(new URLSearchParams(filled as [string, string][]))
  }
}

function parseJson(template: string): unknown {
  try {
    return JSON.parse(template)
  } catch {
    throw new Error('must be valid JSON')
  }
}

/** The same document with every string in it changed; the keys of objects stay. */
function mapValues(document: unknown, change: (text: string) => string): unknown {
  if (typeof document === 'string') return change(document)
  if (Array.isArray(document)) return document.map((inner) => mapValues(inner, change))
  if (typeof document !== 'object' || document === null) return document
  return Object.fromEntries(Object.entries(document).map(([key, inner]) => [key, mapValues(inner, change)]))
}
