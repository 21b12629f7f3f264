/**
 * A small image for endpoints of the box: a server in Perl, which tells what it was given and does
 * what a request says.
 *
 * @module
 */

import type { Box } from "./box.ts";
import { pushBuilt } from "./shell_image.ts";

/** Perl and what it needs; a few MB, without a shell. */
const DOCKERFILE = `FROM ${"${BASE}"} AS tools
RUN mkdir -p /small && cp -L --parents /usr/bin/perl /small/ && \\
    cp -r --parents /usr/lib/*-linux-gnu/perl-base /small/ && \\
    cp -n -L --parents $(ldd /usr/bin/perl | grep -o '/[^ ]*[.]so[^ ]*') /small/
FROM scratch
COPY --from=tools /small /
COPY server.pl /
ENTRYPOINT ["/usr/bin/perl", "/server.pl"]
`;

/**
 * What its `/invocations` does is the request's body: `status 500 TEXT`, `sleep SECONDS`, `stream`
 * (three parts), `break` (ends in the middle of an answer), `exit` (the server ends), `env NAME`,
 * `headers`; anything else is answered with the text of the model's `model.txt` and the body. The
 * variables `PING` (a status, or `late`), `START` (`fail`) and `DEAF` (no end on SIGTERM) make it
 * a bad server.
 */
const SERVER = String.raw`
use strict; use warnings; use IO::Socket::INET; use Socket qw(IPPROTO_TCP TCP_NODELAY);
$| = 1;
die "not asked to serve: @ARGV\n" if "@ARGV" ne 'serve';
die "no such column\n" if ($ENV{START} // '') eq 'fail';
my $server = $$;
$SIG{CHLD} = 'IGNORE';
$SIG{TERM} = $ENV{DEAF} ? 'IGNORE' : sub { print "stopping\n" if $$ == $server; exit 0 };
$SIG{PIPE} = 'IGNORE';
my $model = '';
if (open my $file, '<', '/opt/ml/model/model.txt') { local $/; $model = <$file>; chomp $model; }
my $kept = open(my $written, '>', '/opt/ml/model/written') ? 'writable' : "read-only ($!)";
print "model $model, $kept\n";
my $socket = IO::Socket::INET->new(
  Listen => 64, LocalAddr => '0.0.0.0', LocalPort => 8080, ReuseAddr => 1) or die "port: $!";
while (1) {
  my $client = $socket->accept or next;
  if (fork) { close $client; next; }
  setsockopt($client, IPPROTO_TCP, TCP_NODELAY, 1);
  my ($method, $path) = split / /, (<$client> // ''), 3;
  exit 0 if !defined $path;
  my (%headers, $body);
  while (my $line = <$client>) {
    $line =~ s/\r?\n$//;
    last if $line eq '';
    my ($name, $value) = split /:\s*/, $line, 2;
    $headers{lc $name} = $value;
  }
  $body = '';
  read $client, $body, $headers{'content-length'} if $headers{'content-length'};
  my $answer = sub {
    my ($status, $text, $type) = @_;
    $type //= 'text/plain';
    my $custom = $headers{'x-amzn-sagemaker-custom-attributes'};
    print $client "HTTP/1.1 $status Said\r\nContent-Type: $type\r\nConnection: close\r\n",
      defined $custom ? "X-Amzn-SageMaker-Custom-Attributes: $custom back\r\n" : '',
      'Content-Length: ', length $text, "\r\n\r\n", $text;
    exit 0;
  };
  if ($path eq '/ping') {
    my $ping = $ENV{PING} // 200;
    sleep 60 if $ping eq 'late';
    $answer->($ping, '');
  }
  $answer->(404, 'no such path') if $path ne '/invocations' || $method ne 'POST';
  print "asked: $body\n";
  if ($body =~ /^status (\d+) ?(.*)/s) { $answer->($1, $2); }
  if ($body =~ /^sleep (\S+)/) { select undef, undef, undef, $1; $answer->(200, "$model slept"); }
  if ($body eq 'exit') { kill 'TERM', $server; sleep 5; exit 0; }
  if ($body =~ /^env (\w+)/) { $answer->(200, $ENV{$1} // ''); }
  if ($body eq 'headers') {
    $answer->(200, join "\n", map { "$_: $headers{$_}" } sort keys %headers);
  }
  if ($body eq 'stream' || $body eq 'break') {
    $client->autoflush(1);
    print $client "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n",
      "Transfer-Encoding: chunked\r\n\r\n";
    for my $part ('one ', 'two ', $model) {
      printf $client "%x\r\n%s\r\n", length $part, $part;
      exit 0 if $body eq 'break';
      select undef, undef, undef, 0.05;
    }
    print $client "0\r\n\r\n";
    exit 0;
  }
  $answer->(200, "$model: $body", $headers{accept} && $headers{accept} ne '*/*'
    ? $headers{accept} : undef);
}
`;

/**
 * Builds it, and pushes it to a repository of the box, which is made.
 * @returns what a model names it by: `localhost:PORT/REPOSITORY@sha256:...`
 */
export async function pushServerImage(box: Box, repository = "server"): Promise<string> {
  return await pushBuilt(box, repository, { Dockerfile: DOCKERFILE, "server.pl": SERVER });
}
