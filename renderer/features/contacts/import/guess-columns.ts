import type { Target } from './import-fields.ts'

/** How exports of other systems name their columns, the surest name first; compared without case, spaces and marks. */
const knownNames: Record<Target, string[]> = {
  firstName: ['firstname', 'givenname', 'forename', 'vorname', 'rufname', 'first'],
  lastName: ['lastname', 'surname', 'familyname', 'nachname', 'familienname', 'zuname', 'last'],
  name: [
    'fullname',
    'contactname',
    'displayname',
    'name',
    'contact',
    'contactperson',
    'person',
    'username',
    'ansprechpartner',
    'kontakt',
    'kontaktname',
    'kontaktperson',
    'vollstandigername',
  ],
  email: [
    'emailaddress',
    'email',
    'mail',
    'mailaddress',
    'primaryemail',
    'workemail',
    'businessemail',
    'emailaddress1',
    'email1',
    'email1value',
    'contactemail',
    'emailadresse',
    'mailadresse',
  ],
  phone: [
    'phone',
    'phonenumber',
    'telephone',
    'telephonenumber',
    'tel',
    'primaryphone',
    'mainphone',
    'workphone',
    'businessphone',
    'officephone',
    'directphone',
    'landline',
    'phone1',
    'phone1value',
    'contactphone',
    'telefon',
    'telefonnummer',
    'rufnummer',
    'festnetz',
  ],
  mobile: [
    'mobile',
    'mobilephone',
    'mobilenumber',
    'mobilephonenumber',
    'cell',
    'cellphone',
    'cellnumber',
    'handy',
    'handynummer',
    'mobil',
    'mobilnummer',
    'mobiltelefon',
  ],
  title: ['title', 'jobtitle', 'job', 'position', 'occupation', 'organizationtitle', 'funktion', 'berufsbezeichnung'],
  roles: ['roles', 'role', 'contactroles', 'contactrole', 'contacttype', 'type', 'rollen', 'rolle'],
  organization: [
    'organization',
    'organisation',
    'organizationname',
    'organisationname',
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
    'firmenname',
    'kunde',
    'kundenname',
    'unternehmen',
    'mandant',
  ],
  site: [
    'site',
    'sitename',
    'location',
    'locationname',
    'companylocation',
    'branch',
    'branchname',
    'office',
    'officelocation',
    'standort',
    'niederlassung',
    'filiale',
  ],
  externalId: [
    'contactid',
    'externalid',
    'contactrecordid',
    'contactrecid',
    'recordid',
    'recordidcontact',
    'recid',
    'kontaktid',
    'kontaktnummer',
    'id',
  ],
}

/** What a contact has, and an import does not bring. */
const broughtByHand = {
  notes: ['notes', 'note', 'contactnotes', 'comment', 'comments', 'notiz', 'notizen', 'bemerkung', 'bemerkungen'],
  isPrimary: ['isprimary', 'primary', 'primarycontact', 'isprimarycontact', 'maincontact', 'hauptkontakt'],
}
export type IgnoredColumn = keyof typeof broughtByHand

const bare = (header: string) =>
  header
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** `Site / Location` is what either of them is. */
const spellings = (header: string) => [header, ...header.split(/[/|,(]/)].map(bare)

/** What each column is most likely to be; null for what no contact has. */
export function guessTargets(columns: readonly string[]): (Target | null)[] {
  const spelled = columns.map(spellings)
  const found: (Target | null)[] = columns.map(() => null)
  // The whole name of a column is surer than a part of it.
  for (const most of [1, Number.POSITIVE_INFINITY])
    for (const [target, names] of Object.entries(knownNames) as [Target, string[]][]) {
      if (found.includes(target)) continue
      const column = names
        .map((name) => spelled.findIndex((ways, at) => !found[at] && ways.slice(0, most).includes(name)))
        .find((at) => at !== -1)
      if (column !== undefined) found[column] = target
    }
  // Both halves tell more than a whole, which may be anything's name; a single half tells less.
  const halves = (['firstName', 'lastName'] as const).filter((half) => found.includes(half))
  const surplus: Target[] = halves.length === 2 ? ['name'] : found.includes('name') ? halves : []
  return found.map((target) => (target && surplus.includes(target) ? null : target))
}

/** A column that looks like something that can only be entered by hand. */
export function guessIgnoredColumns(column: string): IgnoredColumn | null {
  const ways = spellings(column)
  const all = Object.keys(broughtByHand) as IgnoredColumn[]
  return all.find((one) => broughtByHand[one].some((name) => ways.includes(name))) ?? null
}
