/** What the console calls the roles that every appliance has, in the order of its lists; the API calls a company “partner”. */
const inUse = new Map([
  ['Partner Admin', 'Administrator'],
  ['Partner Technician', 'Technician'],
  ['Partner Viewer', 'Viewer'],
  ['Partner Security Approver', 'Security approver'],
  ['Org Admin', 'Organization administrator'],
  ['Org Technician', 'Organization technician'],
  ['Org Viewer', 'Organization viewer'],
  ['Security Approver', 'Organization security approver'],
])

/** Their permissions belong to features that Homeport doesn’t have. */
const notInUse = new Map([
  ['Partner Billing', 'Billing'],
  ['Partner Billing Viewer', 'Billing viewer'],
])

export const administrator = roleName('Partner Admin')

export function roleName(name: string): string {
  return inUse.get(name) ?? notInUse.get(name) ?? name
}

/** Built-in roles first, those for nothing yet last; other roles stay as they are. */
export function withRoleNames<Role extends { name: string; isSystem: boolean }>(roles: readonly Role[]): Role[] {
  return roles
    .toSorted((one, other) => rank(one) - rank(other))
    .map((role) => ({ ...role, name: role.isSystem ? roleName(role.name) : role.name }))
}

const used = [...inUse.keys()]

function rank({ name, isSystem }: { name: string; isSystem: boolean }): number {
  if (isSystem && inUse.has(name)) return used.indexOf(name)
  return isSystem && notInUse.has(name) ? used.length + 1 : used.length
}
