import { allEndpoints } from '../../shared/api/index.ts'
import type { Endpoint } from '../../shared/endpoint.ts'
import { bodyOf, idFieldsOf, isStream, paramsOf, queryOf } from '../contract/kit.ts'
import { shapeOf } from '../contract/samples.ts'
import { largest, longText } from './largest.ts'
import { type Large, specialQuestions } from './special-questions.ts'

/** The worst that somebody may ask of an endpoint, made from its contract. */
export interface Question {
  about: string
  params: Record<string, string>
  query: Record<string, string>
  body?: string
}

/** Every endpoint is asked, but for the stream, which never answers to the end. */
export const askedEndpoints = allEndpoints.filter((endpoint) => !isStream(endpoint))

const asText = (value: unknown) => (Array.isArray(value) ? value.join(',') : String(value))
/** No server reads an address that is longer. */
const longestValue = 6000

/** Looked for in names made of one letter: everywhere, nearly everywhere, and nowhere. */
const searched = (most: number) => ['a', 'aaaa', 'a'.repeat(most), longText(most)]

type Query = Pick<Question, 'about' | 'query'>

/** The biggest page of everything, then narrowed down by each filter, then the last page. */
function queriesOf(endpoint: Endpoint, ids: Large): Query[] {
  const shape = shapeOf(endpoint.query)
  const page: Record<string, string> = { ...queryOf(endpoint, ids), ...('limit' in shape && { limit: '1000000' }) }
  const filters = Object.entries(shape).filter(([field]) => field !== 'page' && field !== 'limit')
  const named = new Map(idFieldsOf(endpoint.query).map(({ field, kind }) => [field, ids[kind]]))
  const narrowed = filters.flatMap(([field, schema]): Query[] => {
    const id = named.get(field)
    if (id) return [{ about: field, query: { ...page, [field]: id } }]
    const value = asText(largest(schema)).slice(0, longestValue)
    const values = value === longText(value.length) ? searched(value.length) : [value]
    return values.map((text) => ({ about: `${field} of ${text.length}`, query: { ...page, [field]: text } }))
  })
  return [
    { about: 'everything', query: page },
    ...narrowed,
    ...('page' in shape ? [{ about: 'the last page', query: { ...page, page: '999999999' } }] : []),
  ].filter(({ query }) => !endpoint.query || endpoint.query.safeParse(query).success)
}

const bodyLimitOf = ({ bodyLimit = 1024 * 1024 }: Endpoint) => bodyLimit

/** The usual body and the largest that the contract takes. */
function bodiesOf(endpoint: Endpoint, ids: Large): { about: string; body: string }[] {
  if (!endpoint.body) return []
  const usual = bodyOf(endpoint, ids) as Record<string, unknown>
  const whole = largest(endpoint.body) as Record<string, unknown>
  const named = Object.fromEntries(
    idFieldsOf(endpoint.body).map(({ field, kind, asSent }) => [field, asSent(ids[kind])]),
  )
  const isTaken = (body: object) =>
    endpoint.body?.safeParse(body).success && JSON.stringify(body).length < bodyLimitOf(endpoint)
  const biggest = [{ ...whole, ...named }, { ...usual, ...whole }, whole].find(isTaken)
  return [
    { about: 'the usual body', body: JSON.stringify(usual) },
    ...(biggest ? [{ about: 'the largest body', body: JSON.stringify(biggest) }] : []),
  ]
}

/** As many values as fit into a body: the first endpoint of each limit takes them for all, before it looks at any. */
function junkFor(endpoint: Endpoint): { about: string; body: string }[] {
  const isFirst = (one: Endpoint) => one.body && bodyLimitOf(one) === bodyLimitOf(endpoint)
  if (askedEndpoints.find(isFirst) !== endpoint) return []
  return [{ about: 'junk', body: `{"junk":[${'[],'.repeat((bodyLimitOf(endpoint) - 100) / 3)}[]]}` }]
}

export function questionsOf(endpoint: Endpoint, ids: Large): Question[] {
  const params = paramsOf(endpoint, ids)
  const [first = { about: 'everything', query: {} }, ...queries] = queriesOf(endpoint, ids)
  const [usual, ...bodies] = [...bodiesOf(endpoint, ids), ...junkFor(endpoint)]
  const special = specialQuestions[endpoint.name]?.(ids) ?? []
  return [
    { params, ...first, ...usual },
    ...queries.map(({ about, query }) => ({ params, query, ...usual, about })),
    ...bodies.map((body) => ({ params, query: first.query, ...body })),
    ...special.map(({ body, ...rest }, n) => ({
      about: `by hand, ${n + 1}`,
      params,
      query: first.query,
      ...rest,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })),
  ]
}
