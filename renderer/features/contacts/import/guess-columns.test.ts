import { expect, test } from 'vitest'
import { guessTargets, isPrimaryColumn } from './guess-columns.ts'

test.each([
  [
    'ConnectWise',
    ['Contact RecID', 'First Name', 'Last Name', 'Title', 'Company Name', 'Site Name', 'Email Address', 'Phone'],
    ['externalId', 'firstName', 'lastName', 'title', 'organization', 'site', 'email', 'phone'],
  ],
  [
    'Autotask',
    ['Contact ID', 'Company', 'First Name', 'Last Name', 'Email Address', 'Primary Phone', 'Mobile Phone', 'Title'],
    ['externalId', 'organization', 'firstName', 'lastName', 'email', 'phone', 'mobile', 'title'],
  ],
  [
    'Halo',
    ['Id', 'Name', 'Email Address', 'Phone Number', 'Mobile Number', 'Customer Name', 'Site'],
    ['externalId', 'name', 'email', 'phone', 'mobile', 'organization', 'site'],
  ],
  [
    'HubSpot',
    ['Record ID - Contact', 'First Name', 'Last Name', 'Email', 'Phone Number', 'Company Name', 'Job Title'],
    ['externalId', 'firstName', 'lastName', 'email', 'phone', 'organization', 'title'],
  ],
  [
    'Google',
    ['Name', 'Given Name', 'Family Name', 'E-mail 1 - Value', 'Phone 1 - Value', 'Organization Name'],
    [null, 'firstName', 'lastName', 'email', 'phone', 'organization'],
  ],
  [
    'German',
    ['Firma', 'Vorname', 'Nachname', 'E-Mail', 'Telefon', 'Handy', 'Standort', 'Notiz'],
    ['organization', 'firstName', 'lastName', 'email', 'phone', 'mobile', 'site', 'notes'],
  ],
  [
    'a list made by hand',
    ['Client', 'Site/Location', 'Contact person', 'Mail', 'Telephone', 'Cell (private)', 'Position', 'Is Primary'],
    ['organization', 'site', 'name', 'email', 'phone', 'mobile', 'title', null],
  ],
  [
    'a German office',
    ['Kunde', 'Niederlassung', 'Familienname', 'Vorname', 'Mailadresse', 'Tel.', 'Mobiltelefon', 'Bemerkungen'],
    ['organization', 'site', 'lastName', 'firstName', 'email', 'phone', 'mobile', 'notes'],
  ],
  [
    'one that says two things of each',
    ['Customer / Company', 'Branch, Office', 'Location', 'Name', 'E-Mail | Mail'],
    ['organization', null, 'site', 'name', 'email'],
  ],
])('the columns of %s are recognized', (_, columns, targets) => {
  expect(guessTargets(columns)).toEqual(targets)
})

test('a column with half of a name is ignored beside one with the whole', () => {
  expect(guessTargets(['Full name', 'First name'])).toEqual(['name', null])
})

test('of two columns with the same meaning the first is taken', () => {
  expect(guessTargets(['Phone', 'Phone', 'Work phone'])).toEqual(['phone', null, null])
})

test('a column that says who the primary contact is, is recognized', () => {
  expect(['Is Primary', 'Primary contact?', 'Primary Phone', 'Name'].map(isPrimaryColumn)).toEqual([
    true,
    true,
    false,
    false,
  ])
})
