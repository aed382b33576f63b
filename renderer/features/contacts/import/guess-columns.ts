import type { Target } from './import-fields.ts'

/** Column names of other systems' exports, the most certain first; compared without case, spaces and punctuation. */
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
  notes: ['notes', 'note', 'contactnotes', 'comment', 'comments', 'notiz', 'notizen', 'bemerkung', 'bemerkungen'],
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

/** Columns that say who the primary contact is, which an import does not set. */
const primaryNames = ['isprimary', 'primary', 'primarycontact', 'isprimarycontact', 'maincontact', 'hauptkontakt']

const normalized = (header: string) =>
  header
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** `Site / Location` counts as both. */
const spellings = (header: string) => [header, ...header.split(/[/|,(]/)].map(normalized)

/** Most likely type of each column; null if there is none. */
export function guessTargets(columns: readonly string[]): (Target | null)[] {
  const spelled = columns.map(spellings)
  const found: (Target | null)[] = columns.map(() => null)
  // A match on the whole column name is more certain than one on a part.
  for (const most of [1, Number.POSITIVE_INFINITY])
    for (const [target, names] of Object.entries(knownNames) as [Target, string[]][]) {
      if (found.includes(target)) continue
      const column = names
        .map((name) => spelled.findIndex((ways, at) => !found[at] && ways.slice(0, most).includes(name)))
        .find((at) => at !== -1)
      if (column !== undefined) found[column] = target
    }
  // First and last name together beat a full name, which may name anything; one of them alone does not.
  const halves = (['firstName', 'lastName'] as const).filter((half) => found.includes(half))
  const surplus: Target[] = halves.length === 2 ? ['name'] : found.includes('name') ? halves : []
  return found.map((target) => (target && surplus.includes(target) ? null : target))
}

/** Whether a column looks as if it said who the primary contact is. */
export const isPrimaryColumn = (column: string): boolean =>
  spellings(column).some((name) => primaryNames.includes(name))
