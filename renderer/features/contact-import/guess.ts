import type { Target } from './fields.ts'

/** How exports of other systems name their columns, the surest name first; compared without case, spaces and marks. */
const knownNames: Record<Target, string[]> = {
  firstName: ['firstname', 'givenname', 'forename', 'vorname', 'first'],
  lastName: ['lastname', 'surname', 'familyname', 'nachname', 'last'],
  name: ['fullname', 'contactname', 'displayname', 'name', 'contact', 'person', 'username', 'ansprechpartner'],
  email: [
    'emailaddress',
    'email',
    'mail',
    'primaryemail',
    'workemail',
    'businessemail',
    'emailaddress1',
    'email1',
    'email1value',
    'contactemail',
    'emailadresse',
  ],
  phone: [
    'phone',
    'phonenumber',
    'telephone',
    'primaryphone',
    'workphone',
    'businessphone',
    'officephone',
    'directphone',
    'phone1',
    'phone1value',
    'contactphone',
    'telefon',
  ],
  mobile: ['mobile', 'mobilephone', 'mobilenumber', 'mobilephonenumber', 'cell', 'cellphone', 'handy', 'mobil'],
  title: ['title', 'jobtitle', 'job', 'position', 'organizationtitle', 'funktion'],
  roles: ['roles', 'role', 'contactroles', 'contactrole', 'contacttype', 'type', 'rollen', 'rolle'],
  organization: [
    'organization',
    'organisation',
    'organizationname',
    'company',
    'companyname',
    'client',
    'clientname',
    'customer',
    'customername',
    'account',
    'accountname',
    'business',
    'businessname',
    'firma',
    'kunde',
  ],
  site: ['site', 'sitename', 'location', 'locationname', 'companylocation', 'branch', 'office', 'standort'],
  externalId: [
    'contactid',
    'externalid',
    'contactrecordid',
    'contactrecid',
    'recordid',
    'recordidcontact',
    'recid',
    'id',
  ],
}

const bare = (header: string) =>
  header
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** What each column is most likely to be; null for what no contact has. */
export function guessTargets(columns: readonly string[]): (Target | null)[] {
  const bareColumns = columns.map(bare)
  const found: (Target | null)[] = columns.map(() => null)
  for (const [target, names] of Object.entries(knownNames) as [Target, string[]][]) {
    const column = names.map((name) => bareColumns.indexOf(name)).find((index) => index !== -1 && !found[index])
    if (column !== undefined) found[column] = target
  }
  // Both halves tell more than a whole, which may be anything's name; a single half tells less.
  const halves = (['firstName', 'lastName'] as const).filter((half) => found.includes(half))
  const surplus: Target[] = halves.length === 2 ? ['name'] : found.includes('name') ? halves : []
  return found.map((target) => (target && surplus.includes(target) ? null : target))
}
