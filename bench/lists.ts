import { type Answer, answer, type Question } from './compare.ts'
import type { World } from './world.ts'

const organizationsPath = '/api/v1/orgs/organizations'
const listAim = 0.6

/** What a technician's browser asks all day, against the least such an answer can cost. */
export async function measureLists(world: World): Promise<Answer[]> {
  const answers = []
  for (const question of await questions(world)) answers.push(await answer(question, world.constant))
  return answers
}

async function questions(world: World): Promise<Question[]> {
  const { origin, headers, rawDevices, rawOrganizations, pageIds } = world
  const orgId = await largestOrganization(world)
  const get = (...paths: string[]) => ({ url: origin, requests: paths.map((path) => ({ path, headers })) })
  const devices = (name: string, query: Record<string, string>): Question => ({
    name: `Devices: ${name}`,
    target: get(`/api/v1/devices?${new URLSearchParams({ page: '1', limit: '50', ...query })}`),
    raw: rawDevices,
    aim: listAim,
  })
  const organizations = (name: string, query: Record<string, string>): Question => ({
    name: `Organizations: ${name}`,
    target: get(`${organizationsPath}?${new URLSearchParams({ page: '1', limit: '50', ...query })}`),
    raw: rawOrganizations,
    aim: listAim,
  })
  return [
    organizations('50 of 1,000', {}),
    organizations('search, 1 match', { search: '000471' }),
    organizations('search, all match', { search: 'office' }),
    devices('50 of 10,000', {}),
    devices('by hostname', { sort: 'hostname', sortDir: 'asc' }),
    devices('page 100', { page: '100' }),
    devices('one status and system', { status: 'online', osType: 'windows' }),
    devices('one organization, status and system', { orgId, status: 'online', osType: 'windows' }),
    devices('search, 1 match', { search: '004711' }),
    devices('search, 4,000 matches', { search: 'desktop' }),
    {
      name: 'Device page, with a day of metrics',
      target: get(...pageIds.map((id) => `/api/v1/devices/${id}`)),
      raw: rawDevices,
    },
  ]
}

async function largestOrganization({ origin, headers }: World): Promise<string> {
  const reply = await fetch(`${origin}${organizationsPath}?page=1&limit=1`, { headers })
  const { data } = (await reply.json()) as { data: { id: string }[] }
  return data[0]?.id as string
}
