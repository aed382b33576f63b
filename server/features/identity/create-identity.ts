import type { Config } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Job } from '../../platform/jobs.ts'
import type { Log } from '../../platform/log.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { Tasks } from '../../platform/tasks/index.ts'
import type { IsLinkLive, Mailer, MailWriter, Sms } from '../messaging/index.ts'
import { type Foresee, NewPartners } from '../partners/index.ts'
import { Avatars } from './account/avatars.ts'
import { Profile } from './account/profile.ts'
import { ProfileChanges } from './account/profile-changes.ts'
import { CodeAnswers } from './factors/code-answers.ts'
import { FactorChanges } from './factors/factor-changes.ts'
import { OwnFactors } from './factors/own-factors.ts'
import { ownerOf } from './factors/owner.ts'
import { Phone } from './factors/phone.ts'
import { Proof } from './factors/proof.ts'
import { RecoveryCodes } from './factors/recovery-codes.ts'
import { SmsCodes } from './factors/sms-codes.ts'
import { StepUp } from './factors/step-up.ts'
import { Totp } from './factors/totp.ts'
import { Identities } from './identities.ts'
import { liveLinks } from './live-links.ts'
import { MailLinks } from './mail-links.ts'
import { Memberships } from './memberships/memberships.ts'
import { OneTimeSecrets } from './one-time-secrets.ts'
import { Assertions } from './passkeys/assertions.ts'
import { Ceremonies } from './passkeys/ceremonies.ts'
import { PasskeySignIn } from './passkeys/passkey-sign-in.ts'
import { PasskeyStepUp } from './passkeys/passkey-step-up.ts'
import { Passkeys } from './passkeys/passkeys.ts'
import { PasskeyRegistration } from './passkeys/registration.ts'
import { RelyingParty } from './passkeys/relying-party.ts'
import { CurrentPassword } from './passwords/current-password.ts'
import { PasswordChanges } from './passwords/password-changes.ts'
import { ResetLinks } from './passwords/reset-links.ts'
import { UnlockLinks } from './passwords/unlock-links.ts'
import { Acceptance } from './people/acceptance.ts'
import { AccountChanges } from './people/account-changes.ts'
import { FactorReset } from './people/factor-reset.ts'
import { InvitationReplies } from './people/invitation-replies.ts'
import { Invitations } from './people/invitations.ts'
import { InviteLinks } from './people/invite-links.ts'
import { MembershipChanges } from './people/membership-changes.ts'
import { Newcomers } from './people/newcomers.ts'
import { People } from './people/people.ts'
import { Consequences } from './policy/consequences.ts'
import { EnrollmentNotices } from './policy/enrollment-notices.ts'
import { EnrollmentWindows } from './policy/enrollment-windows.ts'
import { IpAllowlist } from './policy/ip-allowlist.ts'
import { LockOuts } from './policy/lock-outs.ts'
import { MfaPolicy } from './policy/mfa-policy.ts'
import { policyJobs } from './policy/policy-jobs.ts'
import { AddressLinks } from './registration/address-links.ts'
import { CompanyNews } from './registration/company-news.ts'
import { Completion } from './registration/completion.ts'
import { Registration } from './registration/registration.ts'
import { Verification } from './registration/verification.ts'
import { RoleChanges } from './roles/role-changes.ts'
import { Roles } from './roles/roles.ts'
import type { IdentityServices } from './services.ts'
import { SessionCookies } from './sessions/cookies.ts'
import { OwnSessions } from './sessions/own-sessions.ts'
import { Pairs } from './sessions/pairs.ts'
import { Rotation } from './sessions/rotation.ts'
import { Sessions } from './sessions/sessions.ts'
import { createTokens } from './sessions/tokens.ts'
import { Bootstrap } from './setup/bootstrap.ts'
import { SetupCode } from './setup/setup-code.ts'
import { Challenges } from './sign-in/challenges.ts'
import { KnownBrowsers } from './sign-in/known-browsers.ts'
import { Landing } from './sign-in/landing.ts'
import { SecondStep } from './sign-in/second-step.ts'
import { SignIn } from './sign-in/sign-in.ts'
import { SignOut } from './sign-in/sign-out.ts'

export interface IdentityParts {
  config: Config
  db: Database
  clock: Clock
  log: Log
  secrets: Secrets
  audit: Audit
  limits: RateLimits
  tasks: Tasks
  mailer: Mailer
  /** Whether mail leaves the appliance at all. */
  canSendMail: () => boolean
  /** What a link in a mail of this kind looks like, for whoever has to hand it over. */
  linkTo: MailWriter['linkTo']
  sms: Sms
  /** Origins at which the appliance is to be found, best first. */
  addresses: () => string[]
  /** Told every new setup code, to show it where the administrator looks. */
  onSetupCode: (code: string) => void
}

/** Everything about who somebody is, put together: who needs whom. */
export function createIdentity(parts: IdentityParts): IdentityServices & {
  identities: Identities
  allowlist: IpAllowlist
  policy: MfaPolicy
  newcomers: Newcomers
  lockOuts: LockOuts
  foresee: Foresee
  jobs: Job[]
  isLinkLive: IsLinkLive
  /** For changes of other features through which an account could be taken over. */
  assertOwner: (actor: UserActor, password: string | undefined) => Promise<void>
} {
  const { config, db, clock, secrets, audit, limits, tasks, mailer, sms } = parts
  const { isTwoFactorEnabled, signInFloorMs } = config
  const tokens = createTokens(secrets.jwtKey, clock)
  const knownBrowsers = new KnownBrowsers(secrets.knownBrowserKey, clock)
  const cookies = new SessionCookies({ ...config.cookie, allowedOrigins: config.corsAllowedOrigins }, knownBrowsers)
  const pairs = new Pairs(db, clock, tokens)
  const sessions = new Sessions(db, clock, pairs, config.sessionMaxDays)
  const graceSeconds = config.refreshRotationGraceSeconds
  const allowlist = new IpAllowlist(db, clock, audit, config.isAllowlistEnforced)

  const notices = new EnrollmentNotices(db, parts.mailer)
  const windows = new EnrollmentWindows(db, notices)
  const policy = new MfaPolicy(db, windows, {
    isTwoFactorEnabled,
    isForcedByRole: config.isMfaForcedByRole,
    canSendSms: () => sms.isConfigured(),
  })
  const rotation = new Rotation({ db, clock, tokens, pairs, audit, limits, sessions, allowlist, policy, graceSeconds })
  const identities = new Identities(db, clock, tokens, policy, allowlist, audit)

  const oneTime = new OneTimeSecrets(db, clock)
  const currentPassword = new CurrentPassword(limits, audit)
  const proof = new Proof(db, clock, oneTime, currentPassword)
  const changes = new FactorChanges(db, clock, sessions, audit, mailer)
  const recoveryCodes = new RecoveryCodes(db, secrets, audit)
  const smsCodes = new SmsCodes({ oneTime, secrets, limits, sms })
  const totp = new Totp({ db, oneTime, clock, secrets, limits, policy, proof, changes, recoveryCodes, audit })
  const codes = new CodeAnswers(totp, smsCodes, recoveryCodes)

  const links = new MailLinks(oneTime, secrets)
  const unlockLinks = new UnlockLinks({ db, limits, links, audit })
  const resetLinks = new ResetLinks({ db, clock, limits, tasks, mailer, links, unlockLinks, audit, signInFloorMs })
  const addressLinks = new AddressLinks({ db, limits, mailer, links, audit, canSendMail: parts.canSendMail })

  const inviteLinks = new InviteLinks(db, clock, links)
  const invitationReplies = new InvitationReplies({ db, clock, audit, inviteLinks })
  const landing = new Landing({ db, clock, policy, allowlist, inviteLinks, isTwoFactorEnabled })
  const challenges = new Challenges(db, oneTime, policy, landing)
  const signIn = new SignIn({
    db,
    sessions,
    challenges,
    landing,
    invitationReplies,
    policy,
    allowlist,
    limits,
    audit,
    isTwoFactorEnabled,
    signInFloorMs,
    knownBrowsers,
    onLocked: (user, browserId) => resetLinks.announceLock(user, browserId),
  })
  const secondStep = new SecondStep({ signIn, limits, audit, codes, smsCodes })

  const ceremonies = new Ceremonies(oneTime)
  const assertions = new Assertions(db, clock, ceremonies)
  const passkeyStepUp = new PasskeyStepUp(db, limits, assertions)

  const newPartners = new NewPartners(db, clock, audit)
  const { isEnabled } = config.registration
  const news = new CompanyNews({ db, clock, limits, mailer })
  const completion = new Completion({ db, clock, audit, newPartners, signIn, news, isEnabled })

  const people = new People(db, policy)
  const { canSendMail, linkTo } = parts
  const verification = new Verification({ db, clock, limits, audit, mailer, links, sessions, completion })
  const isLinkLive = liveLinks(secrets, {
    email_verification: (token) => verification.check(token),
    invite: (token) => inviteLinks.open(token, { dead: 'invite_invalid', used: 'invite_used' }),
    password_reset: (token) => resetLinks.open(token),
    pending_registration: (token) => verification.check(token),
  })
  const setupCode = new SetupCode(config.dataDir, limits, parts.onSetupCode)
  return {
    isTwoFactorEnabled,
    identities,
    allowlist,
    policy,
    newcomers: new Newcomers({ db, clock, audit, inviteLinks }),
    lockOuts: new LockOuts(db),
    foresee: new Consequences(db, clock, config).of,
    assertOwner: (actor, password) => proof.assertOwner(actor, ownerOf(db, actor), password, 'settings'),
    jobs: policyJobs({ db, log: parts.log, policy, notices }),
    isLinkLive,
    canSendMail: parts.canSendMail,
    registrationRules: config.registration,
    addressLinks,
    bootstrap: new Bootstrap(db, clock, audit, newPartners, sessions, setupCode),
    cookies,
    passkeyRegistration: new PasskeyRegistration({ db, clock, limits, proof, changes, recoveryCodes, ceremonies }),
    passkeySignIn: new PasskeySignIn({ db, limits, signIn, assertions, signInFloorMs }),
    passkeyStepUp,
    passkeys: new Passkeys({ db, clock, audit, policy, proof, changes }),
    factorReset: new FactorReset({ db, clock, audit, mailer, people, sessions }),
    ownFactors: new OwnFactors({ db, rotation, audit, limits, policy, proof, changes, codes, recoveryCodes, smsCodes }),
    people,
    invitations: new Invitations({
      db,
      clock,
      audit,
      limits,
      mailer,
      canSendMail,
      linkTo,
      inviteLinks,
      people,
      platformAdmins: config.platformAdmins,
    }),
    invitationReplies,
    acceptance: new Acceptance({ db, clock, audit, limits, signIn, inviteLinks }),
    accountChanges: new AccountChanges({ db, clock, audit, sessions, inviteLinks }),
    membershipChanges: new MembershipChanges({ db, clock, audit, people, sessions, inviteLinks }),
    memberships: new Memberships({ db, audit, sessions, allowlist, policy }),
    phone: new Phone({ db, clock, audit, limits, policy, proof, changes, recoveryCodes, smsCodes }),
    ownSessions: new OwnSessions(db, clock, audit, sessions),
    passwordChanges: new PasswordChanges({
      db,
      clock,
      sessions,
      limits,
      audit,
      mailer,
      resetLinks,
      currentPassword,
    }),
    avatars: new Avatars({ db, clock, audit, limits }),
    profile: new Profile(db, clock, audit, policy, isTwoFactorEnabled),
    profileChanges: new ProfileChanges({ db, clock, audit, limits, mailer, proof, addressLinks, isTwoFactorEnabled }),
    registration: new Registration({ db, clock, limits, tasks, mailer, links, signInFloorMs }),
    relyingParty: new RelyingParty(config, parts.addresses),
    resetLinks,
    unlockLinks,
    roles: new Roles(db),
    roleChanges: new RoleChanges(db, clock, audit),
    secondStep,
    rotation,
    sessions,
    signIn,
    signOut: new SignOut(db, audit, sessions, rotation),
    stepUp: new StepUp({ db, sessions, limits, audit, policy, proof, codes, smsCodes, passkeys: passkeyStepUp }),
    totp,
    verification,
  }
}
