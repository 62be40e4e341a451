"""Visits of learning in PyTorch, eager and compiled, for docs/gpu.md: python3 bench/gpu-torch.py ROWS.bin (packed rows of 784 bits, least first)."""
import numpy as np, torch, time, sys
torch.backends.cuda.matmul.allow_tf32=False
dev='cuda'; V=784; 
bits=np.unpackbits(np.fromfile(sys.argv[1],dtype=np.uint8).reshape(-1,98),axis=1,bitorder='little')[:, :V]
X=torch.from_numpy((2.0*bits-1).astype(np.float32)).to(dev); n=X.shape[0]
def setup(H):
    torch.manual_seed(1); w=H+1
    W=0.3*torch.randn(V,w,device=dev); E=torch.zeros(n,w,device=dev); E[:,H]=1
    return W,E
def visit_fn(H, ridge=1e-5):
    def psi1(m): return torch.tanh(0.5*m)
    def visit(W,E,X,P,m1,m2,c,t,rate):
        # 8 preconditioned nonlinear CG steps on the codes of a minibatch, a step length per row by Newton and one correction; then Adam on W
        Wf=W[:,:H]; Z=E; M=Z@W.T; R=0.5*(psi1(M)-X); G=R@Wf+ridge*Z[:,:H]; Pg=G@P; D=-Pg; sq=(G*Pg).sum(1)
        for step in range(8):
            Md=D@Wf.T; u=psi1(M); C=0.25*(1-u*u)
            slope=(G*D).sum(1); curv=(C*Md*Md).sum(1)+ridge*(D*D).sum(1); big=Md.abs().amax(1)
            a=torch.minimum(-slope/curv.clamp_min(1e-30),8/big.clamp_min(1e-30)).clamp_min(0)
            s1=(0.5*(psi1(M+a[:,None]*Md)-X)*Md).sum(1)+ridge*((Z[:,:H]*D).sum(1)+a*(D*D).sum(1))
            a=torch.where(s1>0.1*-slope,a*0.95*slope/(slope-s1),a)
            Z=torch.cat([Z[:,:H]+a[:,None]*D,Z[:,H:]],1); M=M+a[:,None]*Md; R=0.5*(psi1(M)-X)
            G0=G; G=R@Wf+ridge*Z[:,:H]; Pg=G@P; now=(G*Pg).sum(1); beta=((now-(G0*Pg).sum(1))/sq).clamp_min(0); sq=now; D=-Pg+beta[:,None]*D
        u=psi1(M); bend=(0.25*(1-u*u)).mean(0); c=c+0.1*(bend-c)
        g=R.T@Z/Z.shape[0]+ridge*W; m1=0.9*m1+0.1*g; m2=0.99*m2+0.01*g*g
        W=W-rate*(m1/(1-0.9**10))/((m2/(1-0.99**10)).sqrt()+1e-8)
        loss=torch.nn.functional.softplus(-X*M).sum()
        return W,Z,m1,m2,c,loss
    return visit
def inv(W,c,H): 
    S=(W[:,:H].T*c)@W[:,:H]; return torch.linalg.inv(S+(1e-5+1e-6*S.diagonal().mean())*torch.eye(H,device=dev))
for H in (32,100):
    for mode in ('eager','compiled'):
        try:
            W,E=setup(H); m1=torch.zeros_like(W); m2=torch.zeros_like(W); c=torch.full((V,),0.1,device=dev)
            f=visit_fn(H); f=f if mode=='eager' else torch.compile(f,mode='reduce-overhead',fullgraph=True)
            B=1000
            def run(count):
                global W0
                nonlocal_vars=[W,m1,m2,c]
                w,a,b,cc=nonlocal_vars; tot=0.0
                for k in range(count):
                    if k%4==0: P=inv(w,cc,H).contiguous()
                    lo=(k%60)*B
                    if mode=='compiled': torch.compiler.cudagraph_mark_step_begin()
                    w,z,a,b,cc,loss=f(w,E[lo:lo+B],X[lo:lo+B],P,a,b,cc,k,0.02)
                    if mode=='compiled': w,z,a,b,cc=w.clone(),z.clone(),a.clone(),b.clone(),cc.clone()
                    E[lo:lo+B]=z
                torch.cuda.synchronize(); return loss.item()/B
            t=time.time(); run(12); warm=time.time()-t
            t=time.time(); loss=run(120); dt=(time.time()-t)/120
            print(f'torch {mode} H={H}: {dt*1e3:.3f} ms a visit, {dt*1980:.2f} s for 33 epochs of 60 visits (warm-up {warm:.1f} s), loss {loss:.2f}',flush=True)
        except Exception as e: print('torch',mode,H,'failed',str(e)[:300],flush=True)
