import type { Refusals } from './refusals.ts'

export const peopleErrors = {
  own_mfa_reset: {
    status: 400,
    error: 'You cannot reset your own second factor',
    onScreen: 'You can’t reset your own second factor.',
  },
  role_parent_too_deep: {
    status: 400,
    error: 'Cannot set parent role: too many levels of inheritance',
    onScreen: 'Too many roles inherit from each other. Choose a role with fewer parents.',
  },
  role_parent_circular: {
    status: 400,
    error: 'Cannot set parent role: would create circular inheritance',
    onScreen: 'A role can’t inherit from itself or from a role that inherits from it.',
  },
  role_parent_missing: {
    status: 400,
    error: 'Parent role not found',
    onScreen: 'The role to inherit from no longer exists.',
  },
  role_parent_scope: {
    status: 400,
    error: 'Parent role must be of the same scope',
    onScreen: 'Company roles and organization roles can’t inherit from each other.',
  },
  role_has_users: {
    status: 400,
    error: 'Cannot delete a role that people have',
    onScreen: 'Some people still have this role. Assign them another one first.',
  },
  role_has_sso_providers: {
    status: 400,
    error: 'Cannot delete a role that an identity provider gives to new people',
    onScreen: 'Single sign-on assigns this role to new people. Choose another one there first.',
  },
  role_has_children: {
    status: 400,
    error: 'Cannot delete a role that other roles inherit from',
    onScreen: 'Other roles inherit from this one. Change them first.',
  },
  role_not_of_scope: {
    status: 400,
    error: 'Invalid role for this scope',
    onScreen: 'This role can’t be assigned here.',
  },
  user_not_invited: {
    status: 400,
    error: 'This user has no pending invitation',
    onScreen: 'The invitation was accepted or withdrawn in the meantime.',
  },
  invite_invalid: { status: 400, error: 'Invalid or expired invitation', onScreen: null },
  invite_used: { status: 400, error: 'This invitation was already accepted', code: 'already_accepted', onScreen: null },
  permission_not_held: {
    status: 403,
    error: 'You cannot grant a permission you do not hold',
    onScreen: 'You can’t grant permissions your own role doesn’t have.',
  },
  permission_unknown: { status: 403, error: 'There is no such permission', onScreen: null },
  wildcard_in_custom_role: {
    status: 403,
    error: 'A custom role cannot hold a wildcard',
    onScreen: 'Custom roles can’t have or inherit every permission. Copy the role, or choose permissions.',
  },
  system_role_fixed: {
    status: 403,
    error: 'Cannot modify system roles',
    onScreen: 'Built-in roles can’t be changed. Copy it and change the copy.',
  },
  system_role_stays: {
    status: 403,
    error: 'Cannot delete system roles',
    onScreen: 'Built-in roles can’t be deleted.',
  },
  own_role_force_mfa: {
    status: 403,
    error: 'Set up a second factor before your own role stops asking for one',
    onScreen: 'Set up a second factor first: your own role requires one.',
  },
  reach_wider_than_own: {
    status: 403,
    error: 'You cannot grant more sites or device groups than you have',
    onScreen: 'You can’t grant access to more sites or device groups than you have.',
  },
  own_role_change: {
    status: 403,
    error: 'You cannot change your own role',
    onScreen: 'Someone else has to change your role.',
  },
  user_may_do_more: {
    status: 403,
    error: 'This user may do what you may not',
    onScreen:
      'This person has more permissions or access than you. Ask someone with at least the same role and access.',
  },
  user_of_other_tenant: {
    status: 403,
    error: 'This user also belongs to another tenant',
    onScreen: 'This account also belongs to others, so you can’t reset it. The operator of the appliance can.',
  },
  sso_invite_closed: {
    status: 403,
    error: 'Your organization requires SSO. Sign in through it instead.',
    onScreen: 'Your organization uses an identity provider. Sign in with it instead.',
  },
  full_partner_org_access_required: {
    status: 403,
    error: 'Full partner organization access required',
    onScreen: 'Only people with access to all organizations of the company can manage people.',
  },
  tenant_context_required: { status: 403, error: 'Partner or organization context required', onScreen: null },
  user_not_found: { status: 404, error: 'User not found', onScreen: 'This person is no longer here.' },
  role_not_found: { status: 404, error: 'Role not found', onScreen: 'This role no longer exists.' },
  membership_not_found: { status: 404, error: 'Membership not found', onScreen: 'You’re no longer a member there.' },
  invitation_not_found: {
    status: 404,
    error: 'Invitation not found',
    onScreen: 'This invitation was withdrawn or has expired.',
  },
  invalid_or_expired: {
    status: 404,
    error: 'invalid_or_expired',
    onScreen: 'This invitation no longer works. Ask for a new one.',
  },
  last_admin: {
    status: 409,
    error: 'The last full administrator cannot be removed or restricted',
    onScreen: 'This is the last full administrator. Make someone else one first.',
  },
  last_platform_admin: {
    status: 409,
    error: 'The last platform admin cannot be disabled',
    code: 'last_admin',
    onScreen: 'This is the appliance’s last operator account.',
  },
  user_in_scope: {
    status: 409,
    error: 'User already exists in this scope',
    onScreen: 'This address already belongs to someone here.',
    field: 'email',
  },
  user_disabled: {
    status: 409,
    error: 'This user is disabled',
    onScreen: 'This account is disabled. The operator of the appliance can enable it.',
    field: 'email',
  },
  // With `loginUrl`: the way in through its identity provider, or null.
  invitation_by_mail: {
    status: 403,
    error: 'Open the link in the invitation to answer it: this email address has not been verified',
    onScreen: 'Open the link in the invitation to accept or decline it.',
  },
  membership_sign_in: {
    status: 403,
    error: 'Sign in to this tenant to work there',
    onScreen: 'Your sign-in method isn’t accepted there. Sign out, and sign in with an accepted one.',
  },
  membership_factor: {
    status: 403,
    error: 'This tenant does not accept the second factor of this session',
    onScreen: 'Your second factor isn’t accepted there. Sign out, and sign in with another one.',
  },
  invite_needs_sign_in: {
    status: 409,
    error: 'This address has an account: sign in to accept the invitation',
    onScreen: 'This address already has an account. Sign in to accept.',
  },
  operator_without_tenant: {
    status: 409,
    error: 'Operator accounts cannot belong to a tenant',
    onScreen: 'Operator accounts can’t also belong to a company. Use another account there.',
  },
  membership_unusable: {
    status: 409,
    error: 'This tenant is closed at the moment',
    onScreen: 'That company or organization isn’t active right now.',
  },
  already_accepted: {
    status: 410,
    error: 'already_accepted',
    onScreen: 'This invitation was already accepted. Sign in instead.',
  },
  invite_url_gone: {
    status: 410,
    error: 'Send the token of an invitation in a body, not in an address',
    onScreen: null,
  },
} as const satisfies Refusals
